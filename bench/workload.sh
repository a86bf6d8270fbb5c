#!/bin/sh
# Run many processes of many kinds, as far as installed, for about the given number of seconds: compilers, interpreters,
# compressors, databases, version control.
seconds=${1:-20}
# The directory is kept, because the recording refers to a program in it.
work=${2:-/tmp/pdconv-workload}
mkdir -p "$work"
end=$(($(date +%s) + seconds))

cat >"$work/t.cpp" <<'EOF'
#include <algorithm>
#include <map>
#include <regex>
#include <string>
#include <vector>
int f(std::string s)
{
	std::map<std::string, std::vector<int>> m;
	std::regex r("([a-z]+)([0-9]*)");
	for (std::sregex_iterator i(s.begin(), s.end(), r), e; i != e; ++i)
		m[i->str(1)].push_back(i->position());
	std::vector<std::string> k;
	for (auto &p : m)
		k.push_back(p.first);
	std::sort(k.begin(), k.end());
	return k.size();
}
EOF
# A program with debug information and many inlined functions.
cat >"$work/main.cpp" <<'EOF'
#include <string>
int f(std::string s);
int main()
{
	std::string s;
	for (int i = 0; i < 20000; i++)
		s += "word" + std::to_string(i % 300) + " ";
	int n = 0;
	for (int i = 0; i < 20; i++)
		n += f(s);
	return n == 0;
}
EOF

have() { command -v "$1" >/dev/null 2>&1; }

one_round() {
    have g++ && g++ -O2 -g -c "$work/t.cpp" -o "$work/t.o" &
    [ -x "$work/debug" ] && "$work/debug" &
    have clang++ && clang++ -O1 -c "$work/t.cpp" -o "$work/u.o" &
    have python3 && python3 -c '
import json, re, random
d = [{"k%d" % i: [random.random() for _ in range(20)]} for i in range(3000)]
s = json.dumps(d); json.loads(s); print(len(re.findall(r"[0-9]+", s)))' >/dev/null &
    have xz && head -c 6000000 /usr/bin/perf 2>/dev/null | xz -3 -T2 >/dev/null &
    have sqlite3 && sqlite3 :memory: 'with recursive c(x) as (select 1 union all select x+1 from c where x<200000) select sum(x*x%7), count(distinct x%1000) from c;' >/dev/null &
    have node && node -e 'let m=new Map();for(let i=0;i<400000;i++)m.set("k"+i%5000,(m.get("k"+i%5000)||0)+i);' &
    have perl && perl -e 'my %h; $h{$_ % 977} .= $_ for 1..300000; print length join ",", map { $h{$_} } sort keys %h' >/dev/null &
    have git && git -C "$(dirname "$0")" log -p --stat >/dev/null 2>&1 &
    i=0
    while [ $i -lt 40 ]; do
        ls -lR /usr/include/linux | sort -k5 -n | awk '{ s += $5 } END { print s }' >/dev/null
        i=$((i + 1))
    done
    wait
}

have g++ && g++ -O2 -g "$work/t.cpp" "$work/main.cpp" -o "$work/debug"

while [ "$(date +%s)" -lt "$end" ]; do
    one_round
done
