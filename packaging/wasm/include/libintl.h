/** @file Translations, for a system that has none. */
#ifndef PD_WASM_LIBINTL_H
#define PD_WASM_LIBINTL_H

#define gettext(text) (text)
#define dgettext(domain, text) (text)
#define bindtextdomain(domain, dir) ((void)0)

#endif
