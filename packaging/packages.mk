# Tarballs and packages, made from the last commit.

DIST := pdconv-$(VERSION)
PACKAGING_PACKAGES := dpkg-dev debhelper lintian fakeroot git xz-utils

.PHONY: dist deb

dist: $(BUILD)/$(DIST).tar.xz ## make a tarball of the last commit; the same commit gives the same bytes

.PHONY: $(BUILD)/$(DIST).tar.xz
$(BUILD)/$(DIST).tar.xz:
	$(q)mkdir -p $(@D)
	$(q)git archive --format=tar --prefix=$(DIST)/ HEAD -- . ':(exclude)debian' | xz -9 -T1 >$@
	$(q)echo $@

deb: $(BUILD)/$(DIST).tar.xz ## build Debian packages of the last commit in build/deb (Debian, Ubuntu)
	$(q)PKGS= sh tests/deps.sh $(PACKAGES) $(PACKAGING_PACKAGES)
	$(q)rm -rf $(BUILD)/deb
	$(q)mkdir -p $(BUILD)/deb
	$(q)cp $< $(BUILD)/deb/pdconv_$(VERSION).orig.tar.xz
	$(q)tar -xf $< -C $(BUILD)/deb
	$(q)git archive HEAD debian | tar -x -C $(BUILD)/deb/$(DIST)
	$(q)cd $(BUILD)/deb/$(DIST) && dpkg-buildpackage -us -uc $(DEB_OPTIONS)
	$(q)ls -l $(BUILD)/deb/*.deb
