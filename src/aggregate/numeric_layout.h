/*
 * numeric_layout.h
 *	  The short form of a numeric, as it is on disk.
 *
 * A header of 16 bits, then digits of base 10000, most significant first.
 * PostgreSQL keeps this to itself, but has stored it so since 9.1.
 */
#ifndef GPURED_NUMERIC_LAYOUT_H
#define GPURED_NUMERIC_LAYOUT_H

#define NBASE 10000

/* Signs in the serialized states of PostgreSQL's own aggregates. */
#define SERIAL_POSITIVE	0x0000
#define SERIAL_NEGATIVE	0x4000
#define SERIAL_MAX_SCALE 0x3FFF

#define KIND_MASK		0xC000
#define KIND_SHORT		0x8000
#define SHORT_NEGATIVE	0x2000
#define SHORT_SCALE_SHIFT 7
#define SHORT_WEIGHT_MASK 0x007F	/* of the first digit, with its sign */

#define SHORT_SCALE(h)	(((h) & 0x1F80) >> SHORT_SCALE_SHIFT)
#define SHORT_WEIGHT(h) ((((h) & 0x0040) ? ~0x003F : 0) | ((h) & 0x003F))

#endif							/* GPURED_NUMERIC_LAYOUT_H */
