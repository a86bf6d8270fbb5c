# The page of the format html, included by the Makefile: modules become one script, which is compressed. The page allows this
# script and its loader only.

WEB := $(BUILD)/gen/web
WEB_HASH = sha256sum <$(1) | cut -c 1-64 | tr a-f A-F | basenc --base16 -d | base64 -w 0

$(WEB)/program.js: web/bundle.awk $(wildcard web/*.js web/*/*.js) web/web.mk
	$(q)mkdir -p $(@D)
	$(call msg,GEN,$@)awk -f web/bundle.awk web/views/main.js >$@

# Lines are short enough for every awk.
$(WEB)/program.packed: $(WEB)/program.js
	$(call msg,GEN,$@)gzip -9 -n <$< | base64 -w 1000 >$@

$(WEB)/page.head $(WEB)/page.tail: $(WEB)/page.%: web/marks.awk web/page.awk web/page.html web/style.css web/loader.js $(WEB)/program.packed
	$(call msg,GEN,$@)awk -v part=$* -v style=web/style.css -v style_hash="$$($(call WEB_HASH,web/style.css))" \
		-v loader=web/loader.js -v loader_hash="$$($(call WEB_HASH,web/loader.js))" \
		-v program=$(WEB)/program.packed -v program_hash="$$($(call WEB_HASH,$(WEB)/program.js))" \
		-f web/marks.awk -f web/page.awk web/page.html >$@

# The bytes of a part, as elements of an array of C.
PAGE_PARTS := $(BUILD)/gen/output/page.head.inc $(BUILD)/gen/output/page.tail.inc
$(PAGE_PARTS): $(BUILD)/gen/output/%.inc: $(WEB)/%
	$(q)mkdir -p $(@D)
	$(q)od -An -v -tu1 $< | sed 's/  */,/g; s/^,//; s/$$/,/' >$@

$(BUILD)/output/html/html.o: $(PAGE_PARTS)
