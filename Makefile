# gpudiag - one non-recursive Makefile. Objects and generated files live in build/.
#
#   make setup     installs what is needed, by name, with apt
#   make run       builds gpudiag and runs the playbook on this machine
#   make check     builds and runs every test
#   make help      says what else there is

# On all processors, unless told otherwise.
ifeq ($(filter -j% --jobserver%,$(MAKEFLAGS)),)
MAKEFLAGS += -j$(shell nproc)
endif

VERSION = 0.1.0
B = build
PREFIX = /usr/local
DESTDIR =
BINDIR = $(PREFIX)/bin
MANDIR = $(PREFIX)/share/man

PKG_CONFIG = pkg-config
# No one debugs on a machine of CI: files and lines are enough, in a sixth less of the compiler's time.
CFLAGS = -O2 $(if $(CI),-g1,-g)
# What was compiled before is not compiled again, where ccache is installed; CCACHE= does without.
CCACHE := $(notdir $(shell command -v ccache 2> /dev/null))
# It goes by the files that the compiler names (-MMD): what was not compiled before costs little more than without ccache.
# The system's headers are not among them; those that an update may change for a compiler that stays, ccache reads itself.
export CCACHE_DEPEND = 1
export CCACHE_EXTRAFILES := $(subst .h /,.h:/,$(strip $(wildcard $(addprefix /usr/include/,features.h cjson/cJSON.h cmocka.h \
	libudev.h pci/pci.h pci/header.h CL/cl.h CL/cl_version.h))))
WARNINGS = -Wall -Wextra
ifdef DEVELOPER
WARNINGS += -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wmissing-field-initializers \
	-Wold-style-definition -Wformat=2 -Wundef -Wpointer-arith -Wwrite-strings -Wvla \
	-Wimplicit-fallthrough -Wunreachable-code -Wcast-qual
endif
HARDENING = -fstack-protector-strong -fPIE
FORTIFY = -D_FORTIFY_SOURCE=2
LINK_HARDENING = -pie -Wl,-z,relro,-z,now

CPPFLAGS_ALL = -D_GNU_SOURCE -DGPUDIAG_VERSION='"$(VERSION)"' -I. -Ilib -I$(B)/gen $(FORTIFY) $(CPPFLAGS)
# The same figures on every machine, the same bytes in whatever folder it is built.
CFLAGS_ALL = -std=gnu17 -pthread $(WARNINGS) $(HARDENING) -ffp-contract=off -ffile-prefix-map=$(CURDIR)=. $(CFLAGS)
LDFLAGS_ALL = $(LINK_HARDENING) -Wl,--as-needed $(LDFLAGS)
LDLIBS = -lcjson -lm -ldl

# With CJSON_SOURCE, a folder named cjson, cJSON becomes part of the binary.
ifdef CJSON_SOURCE
CPPFLAGS_ALL += -DGPUDIAG_BUNDLED_CJSON -I$(CJSON_SOURCE)/..
LDLIBS = -lm -ldl
BUNDLED_OBJ = $(B)/obj/cJSON.o
endif

ifeq ($(V),1)
Q =
say =
else
Q = @
say = $(info $()  $(1)	$(2))
endif
# The target's, made where it is not there. Like say, it starts no process: those of 1300 objects took 12 s.
folder = $(if $(wildcard $(@D)/),,@mkdir -p $(@D))

PURE_DIRS = lib/base lib/snapshot lib/klog lib/format lib/import lib/eval lib/render checks
LIB_SRC := $(sort $(shell find lib -name '*.c'))
CHECK_SRC = $(sort $(wildcard checks/*.c))
CMD_SRC = $(sort $(wildcard cmd/*.c))
GEN_SRC = $(B)/gen/embedded.c
LIB_OBJ = $(LIB_SRC:%.c=$(B)/obj/%.o) $(CHECK_SRC:%.c=$(B)/obj/%.o) $(B)/obj/gen/embedded.o $(BUNDLED_OBJ)
CMD_OBJ = $(CMD_SRC:%.c=$(B)/obj/%.o)

.DELETE_ON_ERROR:
.SECONDARY:
.SUFFIXES:
.PHONY: all setup run check check-fast check-lab check-packages lint schema manual asan clean help bench fuzz

all: $(B)/gpudiag

$(B)/gpudiag: $(CMD_OBJ) $(B)/libgpudiag.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $(CMD_OBJ) $(B)/libgpudiag.a $(LDLIBS)

# Prints the parts of the manual that tables know; see `make manual`.
MANUAL_OBJ = $(patsubst %.c,$(B)/obj/%.o,$(sort $(wildcard man/generate/*.c)))
$(B)/manual: $(MANUAL_OBJ) $(B)/libgpudiag.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $^ $(LDLIBS)

$(B)/libgpudiag.a: $(LIB_OBJ)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $(LIB_OBJ)

# Ids apart from the words that stand beside them: these are changed without compiling whatever knows an id.
IDS = $(patsubst lib/%.in,$(B)/gen/%.h,$(wildcard lib/eval/findings/*.in lib/klog/*.in))
$(B)/gen/%.h: lib/%.in lib/eval/findings/findings.def $(wildcard lib/klog/*.def)
	$(folder)
	$(Q)$(CC) -E -P -x c -Ilib $< > $@.new && if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
$(LIB_OBJ) $(CMD_OBJ) $(MANUAL_OBJ): | $(IDS)

$(B)/obj/gen/%.o: $(B)/gen/%.c $(B)/flags
	$(call say,CC,$<)
	$(folder)
	$(Q)$(CCACHE) $(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -MMD -MP -c -o $@ $<

$(B)/obj/%.o: %.c $(B)/flags
	$(call say,CC,$<)
	$(folder)
	$(Q)$(CCACHE) $(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -MMD -MP -c -o $@ $<

ifdef CJSON_SOURCE
$(BUNDLED_OBJ): $(CJSON_SOURCE)/cJSON.c $(B)/flags
	$(call say,CC,$<)
	$(folder)
	$(Q)$(CCACHE) $(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -c -o $@ $<
endif

# Rebuild everything when the compiler or its flags change.
$(B)/flags: FORCE
	$(folder)
	@echo '$(subst ','\'',$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL))' | cmp -s - $@ || \
		echo '$(subst ','\'',$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL))' > $@
.PHONY: FORCE
FORCE:

# Kernels, and documents that the binary prints, become C strings: one text per file.
EMBED = $(sort $(wildcard kernels/*.cl)) kernels/abi.h man/report.schema.json man/events.schema.json man/bench.schema.json \
	man/baseline.schema.json man/diff.schema.json man/fleet.schema.json man/topology.schema.json man/watch.schema.json \
	$(sort $(wildcard cmd/integrate/*)) cmd/demo/healthy.json $(sort $(wildcard cmd/demo/*.ed))
$(B)/gen/embedded.c: kernels/embed.sh $(EMBED)
	$(folder)
	$(Q)sh kernels/embed.sh $(EMBED) > $@

# Which commit it is of; one file knows, and is compiled anew with the next commit.
$(B)/gen/cmd/build_info.h: FORCE
	$(folder)
	@echo "#define GPUDIAG_COMMIT \"$$(.ci/package/commit.sh)\"" > $@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
$(B)/obj/cmd/version.o: $(B)/gen/cmd/build_info.h

clean:
	rm -rf $(B)

-include $(LIB_OBJ:.o=.d) $(CMD_OBJ:.o=.d) $(MANUAL_OBJ:.o=.d)
include .ci/package/package.mk tests/tests.mk
