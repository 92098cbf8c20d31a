/*
 * program_logic.c
 *	  The nodes of programs that are logic and conditions.
 *
 * What a row does not arrive at is not computed for it.
 */
#include "postgres.h"

#include "scan/program_node.h"

/* The next argument is not computed where one before has decided. */
bool
gpured_compute_and_or(GpuredProgram *program, const GpuredColumns *columns, int n, const bool *active)
{
	const bool	deciding = program->kind == GPURED_NODE_OR;
	bool		pending[GPURED_PAGE_ROWS];

	memcpy(pending, active, n);
	memset(program->null, false, n);
	for (int i = 0; i < n; i++)
		program->i[i] = !deciding;
	for (int a = 0; a < program->nargs && gpured_is_any(pending, n); a++)
	{
		const GpuredProgram *arg = program->args[a];

		if (!gpured_program_compute(program->args[a], columns, n, pending))
			return false;
		for (int i = 0; i < n; i++)
		{
			bool		null = arg->null[i];
			bool		decided = pending[i] & !null & ((arg->i[i] != 0) == deciding);

			program->i[i] = decided ? deciding : program->i[i];
			program->null[i] = (program->null[i] | (pending[i] & null)) & !decided;
			pending[i] &= !decided;
		}
	}
	return true;
}

bool
gpured_compute_not(GpuredProgram *program, const GpuredColumns *columns, int n, const bool *active)
{
	const GpuredProgram *arg = program->args[0];

	if (!gpured_program_compute(program->args[0], columns, n, active))
		return false;
	for (int i = 0; i < n; i++)
		program->i[i] = arg->i[i] == 0;
	memcpy(program->null, arg->null, n);
	return true;
}

bool
gpured_compute_null_test(GpuredProgram *program, const GpuredColumns *columns, int n, const bool *active)
{
	const bool	wanted = program->kind == GPURED_NODE_IS_NULL;

	if (!gpured_program_compute(program->args[0], columns, n, active))
		return false;
	for (int i = 0; i < n; i++)
		program->i[i] = program->args[0]->null[i] == wanted;
	memset(program->null, false, n);
	return true;
}

bool
gpured_compute_boolean_test(GpuredProgram *program, const GpuredColumns *columns, int n,
							const bool *active)
{
	const GpuredProgram *arg = program->args[0];
	const bool	negated = program->test == IS_NOT_TRUE || program->test == IS_NOT_FALSE ||
		program->test == IS_NOT_UNKNOWN;

	if (!gpured_program_compute(program->args[0], columns, n, active))
		return false;
	for (int i = 0; i < n; i++)
	{
		bool		holds;

		if (program->test == IS_TRUE || program->test == IS_NOT_TRUE)
			holds = !arg->null[i] & (arg->i[i] != 0);
		else if (program->test == IS_FALSE || program->test == IS_NOT_FALSE)
			holds = !arg->null[i] & (arg->i[i] == 0);
		else
			holds = arg->null[i];
		program->i[i] = holds != negated;
	}
	memset(program->null, false, n);
	return true;
}

bool
gpured_compute_case(GpuredProgram *program, const GpuredColumns *columns, int n, const bool *active)
{
	bool		pending[GPURED_PAGE_ROWS];
	int			a = 0;

	if (program->tested != NULL && !gpured_program_compute(program->tested, columns, n, active))
		return false;
	memcpy(pending, active, n);
	gpured_clear(program, n);
	for (; a + 1 < program->nargs && gpured_is_any(pending, n); a += 2)
	{
		const GpuredProgram *condition = program->args[a];
		bool		taken[GPURED_PAGE_ROWS];

		if (!gpured_program_compute(program->args[a], columns, n, pending))
			return false;
		for (int i = 0; i < n; i++)
		{
			taken[i] = pending[i] & !condition->null[i] & (condition->i[i] != 0);
			pending[i] &= !taken[i];
		}
		if (!gpured_is_any(taken, n))
			continue;
		if (!gpured_program_compute(program->args[a + 1], columns, n, taken))
			return false;
		gpured_blend(program, program->args[a + 1], taken, n);
	}

	/* The default, which comes alone. */
	if (a + 1 == program->nargs && gpured_is_any(pending, n))
	{
		if (!gpured_program_compute(program->args[a], columns, n, pending))
			return false;
		gpured_blend(program, program->args[a], pending, n);
	}
	return true;
}

bool
gpured_compute_coalesce(GpuredProgram *program, const GpuredColumns *columns, int n, const bool *active)
{
	bool		pending[GPURED_PAGE_ROWS];

	memcpy(pending, active, n);
	gpured_clear(program, n);
	for (int a = 0; a < program->nargs && gpured_is_any(pending, n); a++)
	{
		if (!gpured_program_compute(program->args[a], columns, n, pending))
			return false;
		gpured_blend(program, program->args[a], pending, n);
		for (int i = 0; i < n; i++)
			pending[i] &= program->args[a]->null[i];
	}
	return true;
}
