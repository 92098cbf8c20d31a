/*
 * dictionary.h
 *	  Numbers for the values of a column that has few.
 */
#ifndef GPURED_DICTIONARY_H
#define GPURED_DICTIONARY_H

#include "postgres.h"

#include "scan/columns.h"

typedef struct GpuredDictionary GpuredDictionary;

/* The dictionary of a column, which is made if there is none.  It stays as long as the columns. */
extern GpuredDictionary *gpured_dictionary_of(GpuredColumns *columns, int column);

/* Whether there were too many values: it has none any more. */
extern bool gpured_dictionary_is_given_up(const GpuredDictionary *dictionary);

/*
 * The numbers, from 0 on, of the n rows that follow the batch's, until rows are extracted or
 * moved.  NULL if they have none: a value is compressed or out of line, or there were too many.
 */
extern const uint32 *gpured_dictionary_find(GpuredDictionary *dictionary,
											const GpuredColumns *columns, int n);

/* How many numbers there are. */
extern uint32 gpured_dictionary_count(const GpuredDictionary *dictionary);

/* The value that has a number. */
extern Datum gpured_dictionary_value(const GpuredDictionary *dictionary,
									 const GpuredColumns *columns, uint32 number, bool *null);

/* Count bytes that somebody keeps for its values: with too many of them it is given up. */
extern void gpured_dictionary_charge(GpuredDictionary *dictionary, Size bytes);

/* Nobody keeps any more. */
extern void gpured_dictionaries_discharge(GpuredColumns *columns);

#endif							/* GPURED_DICTIONARY_H */
