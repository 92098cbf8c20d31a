# gpured: exact aggregates on a GPU for PostgreSQL.
#
#   make                  the extension and gpured-server (with CUDA if nvcc is found)
#   make install
#   make installcheck     regression tests, against a running server
#   make CUDA=no          without the CUDA device (after one with it: make clean first)
#   make test-kernels     the kernels' tests, on this machine's GPU
#   make bench-kernels    the kernels' benchmark, likewise
#   make CUDA_ARCHS=90    which GPUs to build for: 90 | 80,90 | native | all-major
EXTENSION = gpured
DATA = gpured--0.1.0.sql
MODULE_big = gpured
OBJS = $(patsubst %.c,%.o,$(sort $(wildcard src/*.c src/aggregate/*.c src/device/*.c src/exact/*.c src/plan/*.c src/scan/*.c)))
PROJECT_HEADERS = $(wildcard src/*.h src/*/*.h)

# Floating-point results must not depend on what the compiler contracts.
PG_CPPFLAGS = -I$(srcdir)/src
PG_CFLAGS = -O2 -ffp-contract=off -Wno-declaration-after-statement

REGRESS = $(patsubst sql/%.sql,%,$(sort $(wildcard sql/*.sql)))
REGRESS_OPTS = --inputdir=$(srcdir) --load-extension=gpured
TAP_TESTS = $(if $(wildcard t/*.pl),1)

EXTRA_CLEAN = build gpured-server results

all: gpured-server

PG_CONFIG ?= pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs)
# Bitcode is compiled by clang without PG_CFLAGS, which would fuse a*b+c.
override with_llvm = no
include $(PGXS)
include $(or $(srcdir),.)/Makefile.server

$(OBJS): $(PROJECT_HEADERS)
# Loops over a page of values.
src/scan/filter.o src/scan/columns.o src/scan/fold.o src/scan/fold_emit.o src/scan/groups.o src/scan/images.o src/scan/numerics.o $(patsubst %.c,%.o,$(wildcard src/scan/program*.c)): \
	CFLAGS += -O3
