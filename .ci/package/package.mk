# package.mk - what an installed gpudiag consists of, and the packages made of it. Part of the Makefile.

SHAREDIR = $(PREFIX)/share/gpudiag
DOCDIR = $(PREFIX)/share/doc/gpudiag
UNITDIR = $(PREFIX)/lib/systemd/system
BASHDIR = $(PREFIX)/share/bash-completion/completions
ZSHDIR = $(PREFIX)/share/zsh/site-functions
FISHDIR = $(PREFIX)/share/fish/vendor_completions.d
# What starts a binary that is not for this machine, as qemu-aarch64 does.
RUN_BINARY =

# How:from:to. How is a mode, or what is made of it.
INSTALL_MAN = $(sort $(wildcard man/*.[1-8]))
INSTALLED = 755:$(B)/gpudiag:$(BINDIR)/gpudiag \
	$(foreach page,$(INSTALL_MAN),644:$(page):$(MANDIR)/man$(subst .,,$(suffix $(page)))/$(notdir $(page))) \
	$(foreach schema,$(sort $(wildcard man/*.schema.json)),644:$(schema):$(SHAREDIR)/$(notdir $(schema))) \
	$(foreach document,LICENSE README.md CHANGELOG.md,644:$(document):$(DOCDIR)/$(document)) \
	completion:bash:$(BASHDIR)/gpudiag completion:zsh:$(ZSHDIR)/_gpudiag completion:fish:$(FISHDIR)/gpudiag.fish \
	unit:cmd/integrate/gpudiag.service:$(UNITDIR)/gpudiag.service unit:cmd/integrate/gpudiag.timer:$(UNITDIR)/gpudiag.timer

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
		unit) install -D -m 644 /dev/null "$$to" && sed 's|/usr/bin/|$(BINDIR)/|' $$from > "$$to" ;; \
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
	@rmdir "$(DESTDIR)$(SHAREDIR)" "$(DESTDIR)$(DOCDIR)" 2> /dev/null || :

# ---- packages, in $(B)/package

P = $(abspath $(B))/package
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
	$(install_all)
	@STRIP=$(STRIP) OBJDUMP=$(OBJDUMP) .ci/package/deb.sh $(VERSION) '$(MAINTAINER)' $(P)/deb

# What runs on older systems too: against the libc of Debian 11, with cJSON in the binary.
SYSROOT = $(P)/sysroot
.PHONY: portable portable-archive
portable:
	@.ci/package/fetch.sh $(P)
	+@$(SUBMAKE) B=$(B)/portable P=$(P) 'CC=$(CC) --sysroot=$(SYSROOT)' CJSON_SOURCE=$(P)/cjson portable-archive

portable-archive: DESTDIR = $(P)/portable
portable-archive: all
	@rm -rf $(P)/portable
	$(install_all)
	@CC='$(CC)' STRIP=$(STRIP) .ci/package/portable.sh $(VERSION) $(P)/portable$(PREFIX) $(P)/cjson $(P)
