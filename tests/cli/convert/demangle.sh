. "$root/tests/cli/common.sh"
# The same function in each form, and an unknown form.
for form in templates short full none; do
    echo "$form"
    convert cxx --folded --no-inline --demangle $form --max-stack 1 --quiet | grep -o '[^; ]*sort.*' | head -n 1
done
convert cxx --folded --demangle long
