"""Style and script of the published library. Each page carries them itself, and its policy allows nothing else."""

from __future__ import annotations

STYLE = """
:root{color-scheme:light dark;--bg:#fff;--soft:#f4f5f7;--line:#d5d9e0;--text:#1c2128;--dim:#57606a;--link:#0550ae;
--fatal:#a40e26;--error:#9a3412;--warning:#7a5200;--info:#57606a;--good:#116329;--code:#f4f5f7}
@media (prefers-color-scheme:dark){:root{--bg:#14171c;--soft:#1c2027;--line:#343b46;--text:#e3e7ec;--dim:#a1abb8;
--link:#7cb7ff;--fatal:#ff8a94;--error:#ffa873;--warning:#ecc25b;--info:#a1abb8;--good:#7fd08c;--code:#1c2027}}
*{box-sizing:border-box}
html{scroll-padding-top:1rem}
body{margin:0;background:var(--bg);color:var(--text);font:1rem/1.6 system-ui,-apple-system,"Segoe UI",Roboto,
"Noto Sans","Noto Sans CJK SC","PingFang SC","Microsoft YaHei",sans-serif;overflow-wrap:anywhere}
header,main,footer{max-width:56rem;margin:0 auto;padding:0 1.25rem}
header{padding-top:1rem;padding-bottom:.75rem}
header nav{display:flex;flex-wrap:wrap;gap:.25rem .75rem;font-size:.95rem;color:var(--dim)}
header nav ol{display:flex;flex-wrap:wrap;gap:.25rem .5rem;list-style:none;margin:0;padding:0}
header nav li+li::before{content:"/";margin-right:.5rem;color:var(--dim)}
main{padding-bottom:2rem}
footer{border-top:1px solid var(--line);padding-top:1rem;padding-bottom:2rem;color:var(--dim);font-size:.9rem}
a{color:var(--link);text-decoration-thickness:1px;text-underline-offset:.15em}
a:hover{text-decoration-thickness:2px}
:focus-visible{outline:3px solid var(--link);outline-offset:2px;border-radius:3px}
.skip{position:absolute;left:-99rem}
.skip:focus{position:static;display:inline-block;padding:.5rem 1.25rem}
h1{font-size:1.65rem;line-height:1.25;margin:.5rem 0}
h2{font-size:1.2rem;line-height:1.3;margin:2rem 0 .5rem;padding-top:.5rem;border-top:1px solid var(--line)}
h3{font-size:1rem;margin:1.25rem 0 .25rem}
p{margin:.5rem 0}
.zh{color:var(--text);background:var(--soft);border-left:3px solid var(--link);padding:.5rem .75rem;margin:.75rem 0}
.zh p{margin:.15rem 0}
code,pre,kbd{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:.875em}
code{background:var(--code);border-radius:3px;padding:.1em .25em}
pre{background:var(--code);border:1px solid var(--line);border-radius:5px;padding:.6rem .75rem;margin:.4rem 0;
overflow-x:auto;white-space:pre-wrap}
pre.run{white-space:pre}
pre code{padding:0;background:none;font-size:1em}
var{font-style:normal;color:var(--link)}
.facts{display:flex;flex-wrap:wrap;gap:.25rem 1.5rem;margin:.5rem 0;padding:0;font-size:.95rem}
.facts div{display:flex;gap:.4rem}
dt{color:var(--dim)}dd{margin:0}
.fatal{color:var(--fatal)}.error{color:var(--error)}.warning{color:var(--warning)}.info{color:var(--info)}
.fatal,.error,.warning{font-weight:600}
.tag{font-size:.8rem;border:1px solid var(--line);border-radius:3px;padding:.05rem .4rem;color:var(--dim);
white-space:nowrap}
.tag.risky{color:var(--error);border-color:currentColor}
.tag.safe{color:var(--good);border-color:currentColor}
ol.steps,ul.plain{padding-left:1.5rem;margin:.25rem 0}
ol.steps>li{margin:.6rem 0}
ul.not{list-style:none;padding:0}
ul.not>li{border-left:3px solid var(--fatal);background:var(--soft);padding:.4rem .75rem;margin:.4rem 0}
.expect{color:var(--dim)}
ul.list{list-style:none;padding:0;margin:.5rem 0}
ul.list>li{padding:.3rem 0;display:grid;grid-template-columns:minmax(12rem,17rem) 1fr auto;gap:0 1rem}
ul.list>li+li{border-top:1px solid var(--line)}
ul.list .of{color:var(--dim);font-size:.9rem}
.dim{color:var(--dim)}
details{margin:.5rem 0}
summary{cursor:pointer;padding:.25rem 0}
.families{columns:13rem;padding-left:1.25rem}
input{font:inherit;width:100%;padding:.55rem .75rem;color:var(--text);background:var(--bg);border:1px solid var(--dim);
border-radius:5px}
label{display:block;font-weight:600;margin-bottom:.25rem}
[hidden]{display:none!important}
@media (max-width:40rem){body{font-size:1rem}h1{font-size:1.4rem}
header,main,footer{padding-left:1rem;padding-right:1rem}
ul.list>li{grid-template-columns:1fr auto}ul.list>li>.name{grid-column:1/-1}.families{columns:9rem}}
@media print{:root{--bg:#fff;--soft:#fff;--text:#000;--dim:#333;--link:#000;--code:#fff;--line:#999}
header nav,.search,.skip,footer{display:none}main{max-width:none}body{font-size:10pt}pre.run{white-space:pre-wrap}
pre,ol.steps>li,ul.not>li{break-inside:avoid}h2,h3{break-after:avoid}details::details-content{content-visibility:visible}}
"""

SCRIPT = """
(function () {
  "use strict";
  var box = document.getElementById("search"), input = document.getElementById("query");
  var list = document.getElementById("results"), count = document.getElementById("count");
  var all = document.getElementById("all");
  var entries = JSON.parse(document.getElementById("index").textContent);
  entries.forEach(function (e) { e.head = (e.id + " " + e.title + " " + (e.zh || "")).toLowerCase();
    e.body = (e.head + " " + e.text).toLowerCase(); });
  function worth(e, words, joined) {
    if (e.id === joined) { return 1000; }
    var score = 0, met = 0, i, word;
    for (i = 0; i < words.length; i += 1) {
      word = words[i];
      if (e.head.indexOf(word) >= 0) { met += 1; score += e.id.split("-").indexOf(word) >= 0 ? 12 : 6; }
      else if (e.body.indexOf(word) >= 0) { met += 1; score += 2; }
    }
    if (met === words.length) { return 100 + score; }
    return words.length > 2 && met * 2 > words.length ? score : 0;
  }
  function row(e) {
    var item = document.createElement("li"), name = document.createElement("span"), link = document.createElement("a");
    var title = document.createElement("span"), of = document.createElement("span");
    name.className = "name"; of.className = "of";
    link.href = e.href; link.textContent = e.id; title.textContent = e.title; of.textContent = e.of;
    name.appendChild(link); item.appendChild(name); item.appendChild(title); item.appendChild(of);
    return item;
  }
  function search() {
    var text = input.value.toLowerCase().trim(), words = text.split(/[\\s,:;()'"]+/).filter(Boolean).slice(0, 30);
    list.textContent = "";
    all.hidden = words.length > 0;
    list.hidden = words.length === 0;
    if (!words.length) { count.textContent = ""; return; }
    var joined = words.join("-"), found = entries.map(function (e) { return [worth(e, words, joined), e]; });
    found = found.filter(function (f) { return f[0] > 0; }).sort(function (a, b) { return b[0] - a[0]; });
    found.slice(0, 60).forEach(function (f) { list.appendChild(row(f[1])); });
    count.textContent = found.length === 0 ? "Nothing found." :
      found.length + " found" + (found.length > 60 ? ", the first 60 are shown." : ".");
  }
  box.hidden = false;
  input.addEventListener("input", search);
  document.addEventListener("keydown", function (event) {
    if (event.key === "/" && document.activeElement !== input) { event.preventDefault(); input.focus(); }
    if (event.key === "Escape" && document.activeElement === input) { input.value = ""; search(); }
  });
  if (location.hash.indexOf("#q=") === 0) {
    try { input.value = decodeURIComponent(location.hash.slice(3)); } catch (ignored) { input.value = ""; }
  }
  search();
}());
"""
