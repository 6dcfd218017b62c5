# package.mk - what an installed gpudiag consists of, and the packages made of it. Part of the Makefile.

SHAREDIR = $(PREFIX)/share/gpudiag
DOCDIR = $(PREFIX)/share/doc/gpudiag
INTEGRATEDIR = $(SHAREDIR)/integrate
UNITDIR = $(PREFIX)/lib/systemd/system
BASHDIR = $(PREFIX)/share/bash-completion/completions
ZSHDIR = $(PREFIX)/share/zsh/site-functions
FISHDIR = $(PREFIX)/share/fish/vendor_completions.d
# What starts a binary that is not for this machine, as qemu-aarch64 does.
RUN_BINARY =

# How:from:to. How is a mode, or what is made of it: paths are those it is installed with.
UNITS = $(wildcard cmd/integrate/*.service cmd/integrate/*.timer)
INSTALL_MAN = $(sort $(wildcard man/*.[1-8]))
INSTALLED = 755:$(B)/gpudiag:$(BINDIR)/gpudiag \
	$(foreach page,$(INSTALL_MAN),644:$(page):$(MANDIR)/man$(subst .,,$(suffix $(page)))/$(notdir $(page))) \
	$(foreach schema,$(sort $(wildcard man/*.schema.json)),644:$(schema):$(SHAREDIR)/$(notdir $(schema))) \
	$(foreach document,LICENSE README.md CHANGELOG.md,644:$(document):$(DOCDIR)/$(document)) \
	completion:bash:$(BASHDIR)/gpudiag completion:zsh:$(ZSHDIR)/_gpudiag completion:fish:$(FISHDIR)/gpudiag.fish \
	$(foreach unit,$(UNITS),paths:$(unit):$(UNITDIR)/$(notdir $(unit))) \
	$(foreach text,$(filter-out $(UNITS),$(sort $(wildcard cmd/integrate/*))),paths:$(text):$(INTEGRATEDIR)/$(notdir $(text)))

# What a package brought is for the package manager to change.
define refuse_packaged
	@if [ -z "$(DESTDIR)" ]; then \
		owner=$$(dpkg-query -S "$(BINDIR)/gpudiag" 2> /dev/null || rpm -qf "$(BINDIR)/gpudiag" 2> /dev/null) && { \
			echo "$(BINDIR)/gpudiag belongs to package $${owner%%:*}: remove the package first, or give another PREFIX" >&2; \
			exit 1; }; \
	fi; :
endef

define install_all
	@for each in $(INSTALLED); do \
		how=$${each%%:*} from=$${each#*:} to="$(DESTDIR)$${each##*:}"; \
		from=$${from%%:*}; \
		echo "  INSTALL $$to"; \
		case $$how in \
		completion) install -D -m 644 /dev/null "$$to" && $(RUN_BINARY) $(B)/gpudiag completion $$from > "$$to" ;; \
		paths) install -D -m "$$(head -c 2 $$from | sed 's/^#!$$/755/; t; s/.*/644/')" /dev/null "$$to" && \
			sed 's|/usr/bin/gpudiag|$(BINDIR)/gpudiag|; s|/usr/share/gpudiag/|$(SHAREDIR)/|' $$from > "$$to" ;; \
		*) install -D -m $$how $$from "$$to" ;; \
		esac || exit 1; \
	done$(if $(filter install,$@),, > /dev/null)
endef

.PHONY: install uninstall
install: all
	$(refuse_packaged)
	$(install_all)

uninstall:
	$(refuse_packaged)
	@for each in $(INSTALLED); do \
		to="$(DESTDIR)$${each##*:}"; \
		echo "  REMOVE  $$to"; \
		rm -f "$$to" || exit 1; \
	done
	@rmdir "$(DESTDIR)$(INTEGRATEDIR)" "$(DESTDIR)$(SHAREDIR)" "$(DESTDIR)$(DOCDIR)" 2> /dev/null || :

# ---- packages, in $(B)/package

P = $(abspath $(B))/package

# What every package is made of, in its DESTDIR.
define stage
	$(install_all)
	@$(STRIP) --strip-unneeded --remove-section=.comment --remove-section=.note $(DESTDIR)$(BINDIR)/gpudiag
endef

MAINTAINER = gpudiag maintainers <maintainers@gpudiag.invalid>
STRIP = strip
OBJDUMP = objdump

.PHONY: dist deb
dist:
	@.ci/package/dist.sh $(VERSION) $(P)

deb: PREFIX = /usr
deb: DESTDIR = $(P)/deb/root
deb: ZSHDIR = /usr/share/zsh/vendor-completions
deb: all
	@rm -rf $(P)/deb
	$(stage)
	@OBJDUMP=$(OBJDUMP) .ci/package/deb.sh $(VERSION) '$(MAINTAINER)' $(P)/deb

# What runs on older systems too: against the libc of Debian 11, with cJSON in the binary. Debian's compilers prefer the
# libraries and headers of their own system to those of --sysroot, but for -B and -nostdinc.
# For another machine: CC=aarch64-linux-gnu-gcc STRIP=aarch64-linux-gnu-strip RUN_BINARY=qemu-aarch64-static
TRIPLET = $(shell $(CC) -print-multiarch)
SYSROOT = $(P)/sysroot-$(TRIPLET)
PORTABLE = B=$(B)/portable-$(TRIPLET) P=$(P) 'CC=$(CC) --sysroot=$(SYSROOT)' CJSON_SOURCE=$(P)/cjson \
	'CPPFLAGS=-nostdinc $(addprefix -isystem ,$(shell $(CC) -print-file-name=include) $(SYSROOT)/usr/include/$(TRIPLET) \
		$(SYSROOT)/usr/include)' LDFLAGS=-B$(SYSROOT)/usr/lib/$(TRIPLET)/ 'RUN_BINARY=$(if $(RUN_BINARY),$(RUN_BINARY) -L $(SYSROOT))'
.PHONY: portable portable-tests rpm built-portable built-portable-tests built-rpm
portable portable-tests rpm:
	@.ci/package/fetch.sh $(P) $(TRIPLET)
	+@$(SUBMAKE) $(PORTABLE) built-$@

built-portable: DESTDIR = $(P)/portable-$(TRIPLET)
built-portable: all
	@rm -rf $(DESTDIR)
	$(stage)
	@CC='$(CC)' .ci/package/portable.sh $(VERSION) $(DESTDIR)$(PREFIX) $(P)/cjson $(P)

# One rpm for all: neither their libc nor whether they have cJSON is alike.
built-rpm: PREFIX = /usr
built-rpm: DESTDIR = $(P)/rpm-$(TRIPLET)/root
built-rpm: all
	@rm -rf $(P)/rpm-$(TRIPLET)
	$(stage)
	@.ci/package/rpm.sh $(VERSION) '$(MAINTAINER)' $(P)/cjson $(P)/rpm-$(TRIPLET)

built-portable-tests: all unit-tests
