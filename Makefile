# make [V=1] [O=dir] [all demo check check-vm lint bench check-gpu install clean dist arm64 vmlinux]
# A new tool, probe set or test edits no list here: everything is found by name.
O       ?= build
PREFIX  ?= /usr/local
DESTDIR ?=
CLANG   ?= clang
BPFTOOL ?= $(firstword $(shell command -v bpftool) /usr/sbin/bpftool)
NVCC    ?= $(firstword $(wildcard /usr/local/cuda/bin/nvcc) nvcc)
PYTHON  ?= python3
ARM64_CC ?= aarch64-linux-gnu-gcc
VERSION := 0.1
MACHINE := $(shell uname -m)
ARCH    ?= $(patsubst aarch64,arm64,$(patsubst x86_64,x86,$(MACHINE)))
VMLINUX ?= vmlinux/$(ARCH)

CFLAGS   ?= -O2 -g
WARN     := -Wall -Wextra -Werror -Wno-unused-parameter -Wno-missing-field-initializers
C        := -std=gnu11 $(WARN) -fno-omit-frame-pointer -MMD -MP
USERFLAGS := $C -D_GNU_SOURCE -DGPUSCOPE_VERSION='"$(VERSION)"' -Ibpf -Ivmlinux -Iuser -Iuser/model -Iuser/import -Iuser/flame -Iflamegraph -I$O/gen
BPFFLAGS := -O2 -g -Wall -Werror -mcpu=v3 -target bpf -D__TARGET_ARCH_$(ARCH) -Ibpf -I$(VMLINUX) -Ivmlinux \
	    $(addprefix -idirafter ,$(wildcard /usr/include/$(MACHINE)-linux-gnu))
# the library that runs inside other programs: no red zone (DESIGN 4), no symbol of ours but the entry points
CUPTIFLAGS := $C -D_GNU_SOURCE -fPIC -fvisibility=hidden -mno-red-zone -Ibpf -Icupti
CUPTIFLAGS := $(if $(filter x86,$(ARCH)),$(CUPTIFLAGS),$(filter-out -mno-red-zone,$(CUPTIFLAGS)))
SIMFLAGS := $C -D_GNU_SOURCE -fPIC -Ibpf -Icupti -Itests/cudasim

ifdef LIBBPF	# a libbpf source checkout: linked statically, for distributions whose own is too old
BPFLIB   := $O/libbpf/libbpf.a
USERFLAGS += -I$O/libbpf/include
BPFFLAGS  += -I$O/libbpf/include
else
BPFLIB   :=
BPFLIBS  := $(shell pkg-config --libs libbpf 2>/dev/null || echo -lbpf)
endif
LDLIBS := $(BPFLIBS) -lelf -lzstd -lz -lsqlite3 -l:libstdc++.so.6 -lpthread -lm

LIBSRC := $(wildcard user/*.c user/*/*.c flamegraph/*.c)
LIBOBJ := $(LIBSRC:%.c=$O/obj/%.o)
TOOLS  := $(patsubst tools/%.c,%,$(wildcard tools/*.c))
BPF    := $(patsubst bpf/%.bpf.c,%,$(wildcard bpf/*.bpf.c))
SKELS  := $(BPF:%=$O/gen/%.skel.h)
SIMLIB := $O/cudasim/lib13
SIMS   := $(if $(wildcard tests/cudasim/libcuda),$(SIMLIB)/libcuda.so.1) \
	  $(if $(wildcard tests/cudasim/libcudart),$(SIMLIB)/libcudart.so.13) \
	  $(if $(wildcard tests/cudasim/libcupti),$(SIMLIB)/libcupti.so.13)
PROGS  := $(patsubst tests/programs/%.c,$O/cudasim/bin/%,$(wildcard tests/programs/*.c))
CUPROGS := $(if $(shell command -v $(NVCC)),$(patsubst tests/programs/%.cu,$O/cudasim/bin/%.nvcc,$(wildcard tests/programs/*.cu)))
TESTBIN := $(patsubst tests/bin/%.c,$O/test/%,$(wildcard tests/bin/*.c))
TESTSKELS := $(patsubst tests/bpf/%.bpf.c,$O/gen/test/%.skel.h,$(wildcard tests/bpf/*.bpf.c))
HOSTBIN := $(patsubst tests/host/%.c,$O/host/%,$(wildcard tests/host/*.c))
BENCHBIN := $(patsubst tests/bench/%.c,$O/bench/%,$(wildcard tests/bench/*.c))
CUDALIB := $(if $(wildcard cupti/*.c),$O/lib/libgpuscope-cuda.so)

Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-7s %s\n' '$1' '$@')

all: $(TOOLS:%=$O/bin/%) $(CUDALIB)
sim: $(SIMS) $(PROGS) $(CUPROGS)
tests: all sim $(TESTBIN) $(HOSTBIN)

# ---- tools and what they share ----
$O/bin/%: $O/obj/tools/%.o $O/lib/libgpuscope.a
	$(call say,LINK)
	@mkdir -p $(@D)
	$Q$(CC) $(CFLAGS) $(LDFLAGS) $^ $(BPFLIB) $(LDLIBS) -o $@
$O/lib/libgpuscope.a: $(LIBOBJ)
	$(call say,AR)
	@mkdir -p $(@D); rm -f $@
	$Q$(AR) rcs $@ $^
$O/obj/%.o: %.c | $(SKELS) $(BPFLIB)
	$(call say,CC)
	@mkdir -p $(@D)
	$Q$(CC) $(CFLAGS) $(USERFLAGS) -c $< -o $@

# ---- probes ----
$O/gen/%.skel.h: $O/bpf/%.bpf.o
	$(call say,SKEL)
	@mkdir -p $(@D)
	$Q$(BPFTOOL) gen skeleton $< name $(notdir $*)_bpf > $@
$O/bpf/%.bpf.o: bpf/%.bpf.c | $(BPFLIB)
	$(call say,BPF)
	@mkdir -p $(@D)
	$Q$(CLANG) $(BPFFLAGS) -MMD -MP -c $< -o $@
$O/bpf/test/%.bpf.o: tests/bpf/%.bpf.c | $(BPFLIB)
	$(call say,BPF)
	@mkdir -p $(@D)
	$Q$(CLANG) $(BPFFLAGS) -MMD -MP -c $< -o $@
$O/libbpf/libbpf.a:
	$(call say,LIBBPF)
	@mkdir -p $(@D)
	$Q$(MAKE) -s -C $(LIBBPF)/src BUILD_STATIC_ONLY=1 OBJDIR=$(abspath $O/libbpf/obj) \
		DESTDIR=$(abspath $O/libbpf) INCLUDEDIR=/include LIBDIR=/lib UAPIDIR=/include install
	$Qcp $O/libbpf/lib/libbpf.a $@

# ---- the library for other people's processes ----
# the page of flamegraph/html.c is in it as it stands in its files
$O/obj/flamegraph/html.o: $(wildcard flamegraph/viewer*)

$O/obj/cupti/%.o: cupti/%.c
	$(call say,CC)
	@mkdir -p $(@D)
	$Q$(CC) $(CFLAGS) $(CUPTIFLAGS) -c $< -o $@
$O/lib/libgpuscope-cuda.so: $(patsubst %.c,$O/obj/%.o,$(wildcard cupti/*.c)) $(wildcard cupti/*.map)
	$(call say,LINK)
	@mkdir -p $(@D)
	$Q$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-z,defs -static-libgcc $(filter %.o,$^) \
		$(patsubst %,-Wl$(comma)--version-script=%,$(filter %.map,$^)) $(OLDLIBS) -o $@
comma := ,
# before glibc 2.34 dlopen and pthreads were not in libc: name their old homes, which still exist (cupti/glibc.h)
OLDLIBS = -Wl,--no-as-needed $(filter /%,$(foreach l,libdl.so.2 libpthread.so.0,$(shell $(CC) -print-file-name=$l)))

# ---- the simulated GPU and the programs that run on it ----
$O/obj/tests/cudasim/%.o: tests/cudasim/%.c
	$(call say,CC)
	@mkdir -p $(@D)
	$Q$(CC) $(CFLAGS) $(SIMFLAGS) -c $< -o $@
$O/obj/tests/vm/exercise/softgpu.o: tests/vm/exercise/softgpu.c
	$(call say,CC)
	@mkdir -p $(@D)
	$Q$(CC) $(CFLAGS) $C -D_GNU_SOURCE -fPIC -c $< -o $@
$O/obj/tests/cudasim/libcuda/uvm.o: SIMFLAGS += -Itests/vm/exercise
simobj = $(patsubst %.c,$O/obj/%.o,$(wildcard tests/cudasim/$1/*.c))
simlink = $(CC) $(CFLAGS) -shared -Wl,-soname,$(@F) -Wl,-z,defs $(filter %.o,$^) \
	$(patsubst %,-Wl$(comma)--version-script=%,$(filter %.map,$^)) $(filter %.so.1,$^) -Wl,-rpath,'$$ORIGIN' -lpthread -ldl -lm -o $@
$(SIMLIB)/libcuda.so.1: $(call simobj,libcuda) $O/obj/tests/vm/exercise/softgpu.o $(wildcard tests/cudasim/libcuda/*.map)
	$(call say,LINK)
	@mkdir -p $(@D)
	$Q$(simlink)
$(SIMLIB)/libcudart.so.13: $(call simobj,libcudart) $(wildcard tests/cudasim/libcudart/*.map) $(SIMLIB)/libcuda.so.1
	$(call say,LINK)
	$Q$(simlink)
$(SIMLIB)/libcupti.so.13: $(call simobj,libcupti) $(wildcard tests/cudasim/libcupti/*.map) $(SIMLIB)/libcuda.so.1
	$(call say,LINK)
	$Q$(simlink)
$O/cudasim/bin/%: tests/programs/%.c $(filter-out %libcupti.so.13,$(SIMS))
	$(call say,PROG)
	@mkdir -p $(@D)
	$Q$(CC) $(CFLAGS) $C -D_GNU_SOURCE -Icupti -Itests/cudasim -Itests/programs $< -MF $@.d \
		$(filter %.so.1 %.so.13,$^) -Wl,--enable-new-dtags,-rpath,'$$ORIGIN/../lib13' -rdynamic -lpthread -o $@
$O/cudasim/bin/%.nvcc: tests/programs/%.cu $(filter-out %libcupti.so.13,$(SIMS))
	$(call say,NVCC)
	@mkdir -p $(@D)
	$Q$(NVCC) -arch=sm_90 -cudart shared -Xcompiler -fno-omit-frame-pointer -MMD -MF $@.d -MT $@ -o $@ $<

# ---- test programs, probes as host C, benchmarks ----
$O/test/%: tests/bin/%.c $O/lib/libgpuscope.a | $(TESTSKELS)
	$(call say,TEST)
	@mkdir -p $(@D)
	$Q$(CC) $(CFLAGS) $(USERFLAGS) -Icupti -MF $@.d $< $O/lib/libgpuscope.a $(BPFLIB) $(LDLIBS) -o $@
$O/host/%: tests/host/%.c
	$(call say,HOST)
	@mkdir -p $(@D)
	$Q$(CC) -std=gnu11 -g -Wall -fsanitize=address,undefined -fno-sanitize-recover -Wno-unused \
		-Itests/host -Ibpf -Ivmlinux -Iuser -MMD -MP -MF $@.d $< -o $@
$O/bench/%: tests/bench/%.c $O/lib/libgpuscope.a
	$(call say,BENCH)
	@mkdir -p $(@D)
	$Q$(CC) $(CFLAGS) $(USERFLAGS) -Icupti -MF $@.d $< $O/lib/libgpuscope.a $(BPFLIB) $(LDLIBS) -o $@

demo: all sim
	$QO=$O tests/demo
check: tests
	$QO=$O tests/run
lint:
	$QO=$O CC='$(CC)' tests/lint
bench: tests $(BENCHBIN)
	$QO=$O tests/bench/run
# the tests on real kernels and drivers, on every cell or CELLS="6.1/535 sid/none"
check-vm: tests
	$QO=$O CELLS='$(CELLS)' tests/check-vm
check-gpu: tests
	$QO=$O tests/check-gpu
vmlinux:
	$Qvmlinux/regen.sh
# every file compiled for arm64; what needs no library of that architecture is linked too
objects: $(LIBOBJ) $(TOOLS:%=$O/obj/tools/%.o) $(CUDALIB) sim
arm64:
	$Q$(MAKE) ARCH=arm64 CC=$(ARM64_CC) NVCC= O=$O/arm64 objects

install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/gpuscope $(DESTDIR)$(PREFIX)/share/man/man8 $(DESTDIR)$(PREFIX)/share/man/man5
	install $(TOOLS:%=$O/bin/%) $(DESTDIR)$(PREFIX)/bin
	install -m 644 $(CUDALIB) $(DESTDIR)$(PREFIX)/lib/gpuscope
	install -m 644 $(wildcard tools/*.8) $(DESTDIR)$(PREFIX)/share/man/man8
	install -m 644 $(wildcard tools/*.5) $(DESTDIR)$(PREFIX)/share/man/man5
	install -d $(DESTDIR)$(PREFIX)/share/doc/gpuscope
	install -m 644 README.md NEWS.md LICENSE $(wildcard tools/*_example.txt) $(DESTDIR)$(PREFIX)/share/doc/gpuscope
dist:
	@git rev-parse HEAD > /dev/null 2>&1 || { echo "make dist: cannot make the archive: not a git checkout" >&2; exit 1; }
	git archive --format=tar.gz --prefix=gpuscope-$(VERSION)/ -o gpuscope-$(VERSION).tar.gz HEAD
clean:
	rm -rf $O

-include $(shell find $O -name '*.d' 2>/dev/null)
.PHONY: all sim tests demo check lint bench check-vm check-gpu vmlinux objects arm64 install dist clean
.SECONDARY:
.DELETE_ON_ERROR:
