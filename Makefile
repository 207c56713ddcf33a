# The door to the project: each target says in one word what the tools behind it are asked to do.
# CMake and ninja know what is up to date, so nothing here names a file that it makes.

C_FILES     = $(shell find * -path 'build*' -prune -o -name '*.[ch]' -print)
SHELL_FILES = $(shell find * -path 'build*' -prune -o -name '*.sh' -print) .ci/run

.PHONY: build run install static test races clients fuzz difffuzz soak format lint clean bench instructions budget

# The program, at build/latchd.
build:
	@tools/deps.sh run
	@cmake --preset release >/dev/null
	@cmake --build --preset release

# Starts it in the foreground; `make run ARGS="--port 7000"` passes options on.
run: build
	@build/latchd $(ARGS)

# The program and liblatch, with DESTDIR in front of PREFIX for those who make packages.
PREFIX ?= /usr/local
install: build
	@cmake --install build --prefix $(PREFIX)

# One program that needs nothing of the machine but its kernel, at build-static/latchd.
static:
	@tools/deps.sh run
	@cmake --preset static >/dev/null
	@cmake --build --preset static
	@ls -l build-static/latchd

# The program as it ships must build; the tests run on a build with asserts and sanitizers.
test:
	@tools/deps.sh test
	@$(MAKE) --no-print-directory build
	@cmake --build --preset release --target bench_count
	@cmake --preset debug >/dev/null
	@cmake --build --preset debug
	@tests/run.sh build-debug

# What embedding programs do from many threads, under ThreadSanitizer.
races:
	@tools/deps.sh test
	@cmake --preset tsan >/dev/null
	@cmake --build --preset tsan
	@TSAN_OPTIONS=suppressions=$(CURDIR)/tests/tsan.supp build-tsan/test_server 'embed.*'

# The real client libraries, at pinned versions, against the program; `make clients-go` runs one language.
clients: build
	@tests/clients/run.sh

clients-%: build
	@tests/clients/run.sh $*

# Random input, FUZZ_SECONDS for each target, from FUZZ_SEED if there is one; what is found stays in
# build-fuzz/found.
FUZZ_SECONDS = 60
fuzz:
	@tools/deps.sh fuzz
	@cmake --preset fuzz >/dev/null
	@cmake --build --preset fuzz --target fuzzers
	@tests/fuzz/run.sh build-fuzz $(FUZZ_SECONDS) $(FUZZ_SEED)

# Random words to latchd and to a redis-server, for DIFFFUZZ_SECONDS, from DIFFFUZZ_SEED if there is one.
DIFFFUZZ_SECONDS = 60
difffuzz:
	@tools/deps.sh test
	@cmake --preset debug >/dev/null
	@cmake --build --preset debug --target difffuzz latchd
	@LATCHD=build-debug/latchd build-debug/difffuzz $(DIFFFUZZ_SECONDS) $(DIFFFUZZ_SEED)

# Locks under duress for SOAK_SECONDS, then every attack, beside a redis-server; on the program as it ships.
SOAK_SECONDS = 120
SOAK_SCALE   = 10000000
soak: build
	@tools/deps.sh test
	@cmake --preset debug >/dev/null
	@cmake --build --preset debug --target lockcheck attacks
	@LATCHD=build/latchd build-debug/lockcheck $(SOAK_SECONDS)
	@LATCHD=build/latchd build-debug/attacks $(SOAK_SCALE)

format:
	@tools/deps.sh lint
	@clang-format -i $(C_FILES)

# latchd against redis-server and the floor; bench/run.sh says what can be set.
bench: build
	@tools/deps.sh bench
	@cmake --build --preset release --target bench_all
	@bench/run.sh build

# Instructions per operation of both, which are the same on every machine.
instructions: build
	@tools/deps.sh bench
	@cmake --build --preset release --target bench_all
	@bench/instructions.sh build

# Takes the instructions that workloads need now as what they may need from now on.
budget: build
	@cmake --build --preset release --target bench_count
	@(sed -n '/^#/p' bench/budget.tsv; bench/count.sh build/bench_count) >build/budget.tsv
	@mv build/budget.tsv bench/budget.tsv

# Analysis reads the debug build's commands: there the asserts say what the code may rely on. Tests
# are compiled by both compilers and read by cppcheck; clang-tidy is for what ships. NULL is a pointer here, also
# at the end of a variable list of arguments.
lint:
	@tools/deps.sh lint
	clang-format --dry-run -Werror $(C_FILES)
	shellcheck $(SHELL_FILES)
	@cmake --preset clang >/dev/null
	cmake --build --preset clang
	@cmake --preset analyze >/dev/null
	cmake --build --preset analyze
	@cmake --preset debug >/dev/null
	run-clang-tidy -quiet -p build-debug '^$(CURDIR)/(base|resp|store|scripts|server)/' 2>/dev/null
	cppcheck --quiet --error-exitcode=1 --enable=warning,performance,portability --inline-suppr \
	    --suppress=varFuncNullUB -j2 --project=build-debug/compile_commands.json
	cmake --build --preset debug --target latchd
	tests/lint/units.sh build-debug/latchd
	tests/lint/containers.sh build-debug/containers
	@$(MAKE) --no-print-directory static
	tests/lint/chroot.sh build-static/latchd
	tests/lint/metrics.sh build-debug/latchd "$$(tools/prometheus.sh build-debug/prometheus)"

clean:
	rm -rf build build-*
