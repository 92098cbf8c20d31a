/*
 * algorithms.h
 *	  The list of ways to reduce an array on the device.
 *
 * GPURED_ALGORITHM(id, name)
 *		"auto" chooses by the size of the array; the others are for comparison
 *		and for tests.  There is no include guard, as with oplist.h.
 *
 * An algorithm that cannot serve an operation hands over to one that can: see
 * gpured_algorithm_serving() in launch.h.
 */
/*               id               name */
GPURED_ALGORITHM(auto,            "auto")
GPURED_ALGORITHM(two_pass,        "two-pass")
GPURED_ALGORITHM(block_atomic,    "block-atomic")
GPURED_ALGORITHM(thread_atomic,   "thread-atomic")
GPURED_ALGORITHM(last_block,      "last-block")
GPURED_ALGORITHM(last_block_tree, "last-block-tree")
GPURED_ALGORITHM(last_block_group, "last-block-group")
GPURED_ALGORITHM(cooperative,     "cooperative")
GPURED_ALGORITHM(cub,             "cub")

#undef GPURED_ALGORITHM
