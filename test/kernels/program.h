/*
 * program.h
 *	  What the programs that test kernels share: the count of what passed, and
 *	  their command line.
 *
 *	  NAME_test [small] [preset] [seeds]
 *
 * "small" leaves out the long arrays, for slow checkers such as
 * compute-sanitizer.  "preset" is for its initcheck, which does not see what bulk
 * copies from shared memory write: the arrays for results are set beforehand, and
 * those alone.  A program ends with "N passed, N failed".
 *
 * Compiled by g++ with -DGPURED_EMULATED the kernels run in the emulation, once
 * a scheduler seed: blocks start in any order and are interleaved at random, so
 * that one which waits for a block that cannot go on would hang.  Compiled by
 * nvcc they run on the card.
 */
#ifndef GPURED_TEST_PROGRAM_H
#define GPURED_TEST_PROGRAM_H

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

static int passed = 0;
static int failed = 0;
static bool small = false;
static bool preset = false;

/* Count one test; say which it was if it failed. */
__attribute__((format(printf, 2, 3))) static inline void
count_test(bool ok, const char *format, ...)
{
	va_list arguments;

	if (ok)
	{
		passed++;
		return;
	}
	if (++failed > 50)
		return;
	printf("FAILED: ");
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	printf("\n");
}

/* How many seeds are asked for, else so many on a card or in the emulation. */
static inline int
read_arguments(int argc, char **argv, int on_card, int in_emulation)
{
#ifdef GPURED_EMULATED
	int seeds = in_emulation;
#else
	int seeds = on_card;
#endif

	(void) on_card, (void) in_emulation;
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "small") == 0)
			small = true;
		else if (strcmp(argv[i], "preset") == 0)
			preset = true;
		else
			seeds = atoi(argv[i]);
	return seeds;
}

/* What main() returns. */
static inline int
print_counts()
{
	printf("%d passed, %d failed\n", passed, failed);
	return failed != 0;
}

#endif /* GPURED_TEST_PROGRAM_H */
