. "$root/tests/cli/common.sh"
# A name of each form, of the same function; and what is no form.
for form in templates short full none; do
    echo "$form"
    convert cxx --folded --no-inline --demangle $form --max-stack 1 --quiet | grep -o '[^; ]*sort.*' | head -n 1
done
convert cxx --folded --demangle long
