# tests.mk - setup, tests and lints. Part of the Makefile.

TALLY = tests/tally -t 1200 $(if $(filter 1,$(V)),-v)
SUBMAKE = $(MAKE) --no-print-directory

UNIT_SRC = $(sort $(wildcard tests/unit/test_*.c))
UNIT_HELPERS = $(sort $(filter-out $(UNIT_SRC),$(wildcard tests/unit/*.c)))
UNIT = $(UNIT_SRC:tests/unit/%.c=%)
LINTS = $(sort $(wildcard tests/lint/*.sh))
# Lints that take longer than a moment say "Takes long: WHY" in their head.
LONG_LINTS := $(shell grep -l '^# Takes long: ' $(LINTS))
QUICK_LINTS = $(filter-out $(LONG_LINTS),$(LINTS))
HARNESS = $(sort $(wildcard tests/harness/*.sh))
PACKAGES = $(sort $(filter-out %/clean_root.sh,$(wildcard tests/package/*.sh)))
# Those that fetch, or build once more.
LONG_PACKAGES := $(shell grep -l '^# Takes long: ' $(PACKAGES))
QUICK_PACKAGES = $(filter-out $(LONG_PACKAGES),$(PACKAGES))
CLI = $(sort $(wildcard tests/cli/*.bats))
# Tests that measure time, or look at what else runs, say "Runs alone: WHY" in their head; those that mostly wait, for
# deadlines that a busy machine would miss, "Runs beside one: WHY".
ALONE := $(shell grep -l '^[ /*#]*Runs alone: ' $(CLI) $(UNIT_SRC))
BESIDE_ONE := $(shell grep -l '^[ /*#]*Runs beside one: ' $(CLI) $(UNIT_SRC))
program = $(patsubst tests/unit/%.c,$(B)/tests/%,$(1))
CLI_ALONE = $(filter $(ALONE),$(CLI))
CLI_BESIDE_ONE = $(filter $(BESIDE_ONE),$(CLI))
# Those that would be waited for at the end.
LONG_WAITS = tests/cli/working-gpu.bats tests/cli/workers.bats $(B)/tests/test_worker tests/cli/nvml.bats
CLI_BESIDE = $(filter-out $(ALONE) $(BESIDE_ONE),$(CLI))
UNIT_ALONE = $(call program,$(filter $(ALONE),$(UNIT_SRC)))
UNIT_BESIDE_ONE = $(call program,$(filter $(BESIDE_ONE),$(UNIT_SRC)))
UNIT_BESIDE = $(filter-out $(UNIT_ALONE) $(UNIT_BESIDE_ONE),$(UNIT:%=$(B)/tests/%))
LAB = $(sort $(wildcard tests/lab/test_*.py))

# ---- what tests are made of

.PHONY: unit-tests fakes nodes batch
unit-tests: $(UNIT:%=$(B)/tests/%)

$(B)/tests/%: $(B)/obj/tests/unit/%.o $(UNIT_HELPERS:%.c=$(B)/obj/%.o) $(B)/libgpudiag.a
	$(call say,TEST,$@)
	$(folder)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) $(TEST_LINK) -o $@ $^ -lcmocka $(LDLIBS)

# Each is compiled once and runs for a moment: on a machine of CI in two thirds of the compiler's time.
$(UNIT:%=$(B)/obj/tests/unit/%.o) $(UNIT_HELPERS:%.c=$(B)/obj/%.o): private CFLAGS += $(if $(CI),-O1)
$(UNIT:%=$(B)/obj/tests/unit/%.o) $(UNIT_HELPERS:%.c=$(B)/obj/%.o): | $(IDS)
-include $(UNIT:%=$(B)/obj/tests/unit/%.d) $(UNIT_HELPERS:%.c=$(B)/obj/%.d)

# gpudiag many times in one process, for suites that run it thousands of times. Newer than gpudiag, or it is not used.
BATCH_OBJ = $(B)/obj/tests/batch/batch.o $(B)/obj/tests/batch/main.o
batch: $(B)/batch

$(B)/batch: $(BATCH_OBJ) $(filter-out %/main.o,$(CMD_OBJ)) $(B)/libgpudiag.a $(B)/gpudiag
	$(call say,TEST,$@)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) $(TEST_LINK) -o $@ $(filter-out %/gpudiag,$^) $(LDLIBS)

$(B)/obj/tests/batch/main.o: $(B)/obj/cmd/main.o $(B)/obj/tests/batch/batch.o
	$(Q)objcopy --redefine-sym main=gpudiag_main $< $@
-include $(B)/obj/tests/batch/batch.d

# A FUSE file system whose files hang; OpenCL drivers that fail, one for each word of enum fault.
FAULTS := $(shell sed -n '/^enum fault {/,/^}/s/^\t\([a-z_]*\),.*/\1/p' tests/fakes/faulty_icd.c 2> /dev/null)
# NVML that answers from a file, as drivers of several branches have it.
NVML_BRANCHES = r470 r535 r550 r560 r580 current
NVML_FAKES = $(if $(wildcard tests/fakes/nvml.c),$(NVML_BRANCHES:%=$(B)/fakes/nvml/%/libnvidia-ml.so.1))
# PoCL under another name, which fails, lies or dawdles as it is told.
SHIM_FAKE = $(if $(wildcard tests/fakes/shim_icd.c),$(B)/fakes/shim/libshim.so)
FAKES = $(if $(wildcard tests/fakes/hangfs.c),$(B)/fakes/hangfs) $(B)/fakes/exchange $(B)/fakes/all_reduce_perf $(B)/fakes/host_load $(FAULTS:%=$(B)/fakes/icd/%.so) $(NVML_FAKES) $(SHIM_FAKE)
fakes: $(FAKES)

$(B)/fakes/hangfs: tests/fakes/hangfs.c $(B)/flags
	$(call say,FAKE,$@)
	$(folder)
	$(Q)$(CC) $(CPPFLAGS_ALL) $$($(PKG_CONFIG) --cflags fuse3) $(CFLAGS_ALL) -o $@ $< $$($(PKG_CONFIG) --libs fuse3)

# What a host does while its GPUs wait.
$(B)/fakes/host_load: tests/fakes/host_load.c $(B)/flags
	$(call say,FAKE,$@)
	$(folder)
	$(Q)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $<

# A user who exchanges names in a folder that root writes to.
$(B)/fakes/all_reduce_perf: tests/fakes/all_reduce_perf.c $(B)/flags
	$(call say,FAKE,$@)
	$(folder)
	$(Q)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $<

$(B)/fakes/exchange: tests/fakes/exchange.c $(B)/flags
	$(call say,FAKE,$@)
	$(folder)
	$(Q)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $<

$(B)/fakes/icd/%.so: tests/fakes/faulty_icd.c $(B)/flags
	$(call say,FAKE,$@)
	$(folder)
	$(Q)$(CC) $(CPPFLAGS_ALL) -DFAULT=$* $(CFLAGS_ALL) -fPIC -shared -o $@ $<

SHIM_FAKE_SRC = tests/fakes/shim_icd.c tests/fakes/shim_plan.c tests/fakes/shim_work.c
$(B)/fakes/shim/libshim.so: $(SHIM_FAKE_SRC) tests/fakes/shim.h tests/fakes/shim_plan.h $(B)/flags
	$(call say,FAKE,$@)
	$(folder)
	$(Q)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -fPIC -shared -o $@ $(SHIM_FAKE_SRC) -lcjson

# Each branch has the calls that came with it or before: the rest is hidden by a version script.
NVML_FAKE_OBJ = $(patsubst %.c,$(B)/obj/%.o,$(sort $(wildcard tests/fakes/nvml*.c)))
$(NVML_FAKE_OBJ): private CFLAGS_ALL += -fPIC
-include $(NVML_FAKE_OBJ:.o=.d)
$(B)/fakes/nvml/%/libnvidia-ml.so.1: $(NVML_FAKE_OBJ) tests/fakes/nvml_calls.def
	$(call say,FAKE,$@)
	$(folder)
	$(Q)awk -F '[(, )]+' -v newest=$(if $(filter r%,$*),$(*:r%=%),999) 'BEGIN { print "{ global:" } \
		/^CALL/ && $$3 <= newest { print $$2 ";" } END { print "local: *; };" }' tests/fakes/nvml_calls.def > $(@D)/exports
	$(Q)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -fPIC -shared -Wl,-soname,libnvidia-ml.so.1,--version-script=$(@D)/exports \
		-o $@ $(NVML_FAKE_OBJ) -lcjson

# Recorded machines, as /sys and /proc trees.
NODES_SRC = $(sort $(wildcard tests/nodes/*.py))
nodes: $(patsubst tests/nodes/mknodes.py,$(B)/nodes.stamp,$(filter %/mknodes.py,$(NODES_SRC))) batch

$(B)/nodes.stamp: $(NODES_SRC) $(NVML_FAKES)
	$(call say,NODES,$(B)/nodes)
	$(Q)rm -rf $(B)/nodes && mkdir -p $(B)/nodes && python3 tests/nodes/mknodes.py $(B)/nodes && touch $@

# Programs that try a property on every recorded machine.
PROPERTY = $(patsubst tests/property/%.c,$(B)/property/%,$(sort $(wildcard tests/property/*.c)))
.PHONY: property
property: $(PROPERTY)

$(B)/property/%: tests/property/%.c $(B)/libgpudiag.a $(B)/flags
	$(call say,TEST,$@)
	$(folder)
	$(Q)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $< $(B)/libgpudiag.a $(LDLIBS)

# What must be pure, as one object, for tests/lint/purity.sh.
PURE_OBJ = $(filter $(PURE_DIRS:%=$(B)/obj/%/%),$(LIB_OBJ))
$(B)/pure.o: $(PURE_OBJ)
	$(Q)$(LD) -r -o $@ $(PURE_OBJ)

# A fuzz target; tests/fuzz/run.sh sets the compiler, its flags, and which objects are needed: FUZZED, all without it.
FUZZ_OBJ = $(if $(FUZZED),$(filter $(addprefix %/,$(FUZZED)),$(LIB_OBJ)),$(LIB_OBJ))
$(B)/libfuzzed.a: $(FUZZ_OBJ)
	$(Q)rm -f $@ && $(AR) rcs $@ $(FUZZ_OBJ)

$(B)/fuzz_%: tests/fuzz/fuzz_%.c $(B)/libfuzzed.a $(B)/flags
	$(Q)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -fsanitize=fuzzer -o $@ $< $(B)/libfuzzed.a $(LDLIBS)

# Fetched while the compiler works. Where it cannot be had, suites of the lab say so.
.PHONY: lab-kernel
lab-kernel:
	@tests/lab/kernel.sh $(CURDIR)/$(B)/lab/kernel > /dev/null || :

print-%:
	@echo '$($*)'

unit-tests fakes nodes property batch:
	@:

# No one debugs on a machine of CI: without debugging information, programs of tests are linked in half the time.
NO_DEBUG = -Wl,-S
TEST_LINK = $(if $(CI),$(NO_DEBUG))

# ---- what to call

setup:
	@sh tests/setup.sh

ifneq ($(filter setup,$(MAKECMDGOALS)),)
# make -j setup check: one after the other.
all run check check-fast check-lab check-packages lint asan bench fuzz: | setup
endif

# Without a GPU it ends with what a report on some looks like.
run: all
	@status=0; $(B)/gpudiag run --opencl-type auto $(ARGS) || status=$$?; \
	echo "exit status of gpudiag: $$status"; test $$status -lt 64
	@if [ -z "$$($(B)/gpudiag list gpus 2> $(B)/no-gpu)" ] && grep -q 'no GPU on' $(B)/no-gpu; then \
		echo; echo 'No GPU here. On nodes with GPUs (gpudiag demo):'; echo; $(B)/gpudiag demo; fi

check:
	+$(Q)$(SUBMAKE) DEVELOPER=1 $(if $(WITH_LAB),lab-kernel) all $(B)/manual unit-tests fakes nodes property
	@FUZZ_SECONDS=$${FUZZ_SECONDS:-2} FUZZ_SEED=$${FUZZ_SEED-1} $(TALLY) $(QUICK_LINTS) $(HARNESS) $(QUICK_PACKAGES) \
		--two $(LONG_WAITS) tests/nvml.py $(filter-out $(LONG_WAITS),$(CLI_BESIDE_ONE) $(UNIT_BESIDE_ONE)) \
		--with tests/matrix.py tests/robust.py tests/cases.py tests/nvml_faults.py tests/klog.py tests/imports.py tests/unknown.py tests/fleet.py $(CLI_BESIDE) \
			$(UNIT_BESIDE) \
		$(if $(WITH_LAB),--two $(LAB)) \
		--serial $(UNIT_ALONE) $(CLI_ALONE) --leftovers $(LONG_LINTS) tests/fuzz/run.sh

# Within a minute: what most changes break.
check-fast:
	+$(Q)$(SUBMAKE) DEVELOPER=1 all $(B)/manual unit-tests nodes
	@QUICK=1 $(TALLY) --passed $(B)/passed --input tests/klog $(QUICK_LINTS) \
		tests/cases.py tests/imports.py $(UNIT_BESIDE) --two $(UNIT_BESIDE_ONE) --serial $(UNIT_ALONE)

# gpudiag in a real kernel; apart from the rest, since it takes a minute and fetches a kernel.
check-lab:
	+$(Q)$(SUBMAKE) DEVELOPER=1 all
	@$(TALLY) --serial $(LAB)

# Packages of all kinds, on the systems that they are for; fetches Debian 11 and 12, and builds several times.
check-packages:
	+$(Q)$(SUBMAKE) DEVELOPER=1 all
	@$(TALLY) -t 3600 --serial $(PACKAGES)

lint:
	+$(Q)$(SUBMAKE) DEVELOPER=1 all $(B)/manual nodes
	@$(TALLY) $(LINTS)

# Unit tests, command line and cases, with a binary that sees wrong memory accesses and undefined behaviour.
ASAN_CFLAGS = -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined
# By way of another file: documents in man/ are built into the binary.
schema: all
	$(Q)$(B)/gpudiag schema snapshot > $(B)/snapshot.schema.json && mv $(B)/snapshot.schema.json man/

# Pages of which the tables know a part: what stands between @ signs alone on a line is that part.
MANUAL = $(patsubst %.in,%,$(sort $(wildcard man/*.in)))
FILL = awk -v manual=$(abspath $(B)/manual) '/^@[a-z]+@$$/ { part = substr($$0, 2, length($$0) - 2); \
	command = manual " " part; while ((command | getline line) > 0) print line; next } { print }'
manual: $(B)/manual $(B)/gpudiag
	$(Q)for page in $(MANUAL); do $(FILL) $$page.in > $(B)/page && cat $(B)/page > $$page || exit 1; done
	$(Q)$(B)/gpudiag demo narrow-link -f svg > $(B)/page && cat $(B)/page > man/demo.svg

asan:
	+$(Q)$(SUBMAKE) DEVELOPER=1 fakes nodes
	+$(Q)$(SUBMAKE) DEVELOPER=1 B=build/asan FORTIFY= 'CFLAGS=$(ASAN_CFLAGS)' all unit-tests batch
	@GPUDIAG=$(CURDIR)/build/asan/gpudiag $(TALLY) --serial $(UNIT:%=build/asan/tests/%) $(CLI) tests/cases.py tests/klog.py tests/imports.py tests/robust.py tests/fleet.py

fuzz:
	@FUZZ_SECONDS=$${FUZZ_SECONDS:-20} $(TALLY) -t 3600 tests/fuzz/run.sh

$(B)/bench/%: tests/bench/%.c $(B)/libgpudiag.a $(B)/flags
	$(call say,BENCH,$@)
	$(folder)
	$(Q)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $< $(B)/libgpudiag.a $(LDLIBS)

bench: all nodes $(patsubst tests/bench/%.c,$(B)/bench/%,$(wildcard tests/bench/*.c))
	@missed=0; for bench in $(sort $(wildcard tests/bench/*.sh)); do echo "$$bench"; $$bench || missed=1; done; exit $$missed

help:
	@echo 'make             build $(B)/gpudiag (DEVELOPER=1: with strict warnings; V=1: show commands)'
	@echo 'make setup       install what building and testing needs, by apt'
	@echo 'make run         run the playbook on this machine, on the CPU where it has no GPU (ARGS=…: more options)'
	@echo 'make check       every test and lint; V=1 shows what passes too'
	@echo 'make check-fast  what most changes break, within a minute: quick lints, all cases, and the unit tests that changed'
	@echo 'make check-lab   gpudiag in a real kernel, in QEMU (make check WITH_LAB=yes: with every other test)'
	@echo 'make check-packages  packages on Debian 11 and 12, rpm, aarch64; fetches, and builds several times'
	@echo 'make lint        the lints alone'
	@echo 'make schema      write man/snapshot.schema.json anew, after a change of a record'
	@echo 'make manual      write the pages of man/*.in anew, after a change of a check, finding, threshold or field'
	@echo 'make asan        unit tests, command line and cases with address and undefined-behaviour sanitizers'
	@echo 'make fuzz        each fuzz target for FUZZ_SECONDS (20)'
	@echo 'make bench       measured against the goals'
	@echo 'make install     all that gpudiag consists of, below PREFIX ($(PREFIX)); DESTDIR is put before it'
	@echo 'make uninstall   and away again'
	@echo 'make dist deb portable rpm  archive and packages, in $(B)/package/'
	@echo 'make clean       remove $(B)/'
