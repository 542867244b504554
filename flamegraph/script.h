/* Inside of the room: the program that runs in the picture. */
#ifndef SCRIPT_H
#define SCRIPT_H

#include <stdio.h>

void flame_write_script(FILE *out);

#endif
