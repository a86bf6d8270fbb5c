# The page that opens recordings, included by the Makefile: all but the program, which the npm package puts in (`pdconv --page`).

OPEN := $(BUILD)/gen/open

$(OPEN)/main.js $(OPEN)/worker.js: $(OPEN)/%.js: web/open/%.js web/bundle.awk $(wildcard web/open/*.js npm/*.js) web/open/open.mk
	$(q)mkdir -p $(@D)
	$(call msg,GEN,$@)awk -f web/bundle.awk $< >$@

$(OPEN)/page.part: web/marks.awk web/open/fill.awk web/open/page.html web/open/style.css $(OPEN)/main.js $(OPEN)/worker.js $(WEB)/page.head
	$(call msg,GEN,$@)awk -v main=$(OPEN)/main.js -v worker=$(OPEN)/worker.js -v style=web/open/style.css \
		-v hashes="MAIN_HASH=$$($(call WEB_HASH,$(OPEN)/main.js)) OPEN_STYLE_HASH=$$($(call WEB_HASH,web/open/style.css)) \
		LOADER_HASH=$$($(call WEB_HASH,web/loader.js)) PROGRAM_HASH=$$($(call WEB_HASH,$(WEB)/program.js)) \
		STYLE_HASH=$$($(call WEB_HASH,web/style.css))" -f web/marks.awk -f web/open/fill.awk web/open/page.html >$@
