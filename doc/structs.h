/*
 * Input of the preprocessor for doc/structs.awk: expands the tables of the public headers to lines
 * of doc/structs.md. Not for programs.
 */
#include <pdconv/layout.h>

#undef PD_MEMBER
#undef PD_DECLARE_STRUCT
#define PD_MEMBER(T, kind, name, format, meaning) @field PD_TYPE_##kind @called name @text meaning
#define PD_DECLARE_STRUCT(member, fields) @struct member fields(PD_MEMBER, ) @end

#define RECORD(name, type, misc, member, fields, has_sid) @record PD_RECORD_##name @for member @end
#define ATTR(kind, name, offset, format, bits, meaning) @field PD_TYPE_##kind @called name @text meaning
#define FLAG(bit, width, name) @flag PD_ATTR_##name @for bit @end

#include <pdconv/attr_defs.h>
#include <pdconv/record_defs.h>
PD_RECORDS(RECORD)
@section Attributes
@struct attr PD_ATTR_FIELDS(ATTR) @end
PD_ATTR_FLAGS(FLAG)
@section Records
#include <pdconv/record.h>
@section Features
#include <pdconv/feature.h>
@section Headers
#include <pdconv/header.h>
