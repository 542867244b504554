/*
 * Symbol versions: the library must load into programs of any distribution since
 * glibc 2.17, wherever it was built. glibc 2.34 moved libdl and libpthread into
 * libc and gave their functions new versions; the old ones are still there, and
 * these lines ask for them. tests/inject.bats checks the result.
 */
#ifndef GLIBC_H
#define GLIBC_H

#if defined(__x86_64__)
#define GLIBC_BASE "GLIBC_2.2.5"
#elif defined(__aarch64__)
#define GLIBC_BASE "GLIBC_2.17"
#endif

#ifdef GLIBC_BASE
#define OLD_SYMBOL(name) __asm__(".symver " #name "," #name "@" GLIBC_BASE)
OLD_SYMBOL(dlopen);
OLD_SYMBOL(dlsym);
OLD_SYMBOL(dladdr);
OLD_SYMBOL(pthread_create);
OLD_SYMBOL(pthread_detach);
OLD_SYMBOL(pthread_key_create);
OLD_SYMBOL(pthread_setspecific);
OLD_SYMBOL(pthread_mutex_trylock);
#endif

#endif
