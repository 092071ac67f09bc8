"""The style of the HTML report: that of all pages, with the drawings, quotes and tick boxes of a report."""

from __future__ import annotations

from triage.render.site_style import STYLE

REPORT_STYLE = (
    STYLE
    + """
h1 .verdict{display:block;font-size:.8rem;letter-spacing:.06em;font-weight:700;margin-bottom:.25rem}
.fault{color:var(--fatal)}.suspect,.nothing-understood{color:var(--warning)}.healthy{color:var(--good)}
.toc{list-style:none;display:flex;flex-wrap:wrap;gap:.15rem .9rem;padding:0;margin:.75rem 0;font-size:.95rem}
.facts{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:.2rem .9rem}.facts div{display:contents}
figure{margin:.5rem 0}figcaption{font-size:.9rem;color:var(--dim)}
svg{display:block;max-width:100%;height:auto;font:13px system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",
"Noto Sans CJK SC","PingFang SC","Microsoft YaHei",sans-serif}
svg.narrow{display:none}
svg text{fill:var(--text)}svg .dim,svg .role{fill:var(--dim);font-size:11px}svg .role{font-weight:600}
.node rect{fill:var(--soft);stroke:var(--line)}.node.root rect{stroke:var(--fatal);stroke-width:2.5}
.node.root.warning rect,.node.root.info rect{stroke:var(--warning)}.node.root .role{fill:var(--fatal)}
.node.root text:not([class]){font-weight:600}.node.before rect{stroke-dasharray:5 4}
.node.carrier rect{stroke-dasharray:2 2}
.edge{fill:none;stroke:var(--dim);stroke-width:1.5}.edge.loose{stroke-dasharray:5 4}.head{fill:var(--dim)}
.lane0{fill:var(--soft)}.lane1{fill:var(--bg)}.tick{stroke:var(--line);fill:none}svg .lane{font-size:12px}
.mark circle{fill:var(--bg);stroke:var(--dim);stroke-width:1.5}.mark .number{font-size:11px;fill:var(--text)}
.mark .span{stroke:var(--dim);stroke-width:4;opacity:.45;fill:none}
.mark.root circle{fill:var(--fatal);stroke:var(--fatal)}.mark.root .number{fill:var(--bg);font-weight:700}
.mark.cause circle{stroke:var(--error);stroke-width:2.5}
ol.legend{columns:22rem;column-gap:2rem;padding-left:2rem;font-size:.95rem}ol.legend li{break-inside:avoid}
.quote pre{white-space:pre-wrap;padding-left:0}.quote .line{display:block;padding-left:4.5rem;text-indent:-4.5rem;
color:var(--dim);border-left:3px solid transparent}
.quote .n{display:inline-block;width:4rem;margin-right:.5rem;text-indent:0;text-align:right;color:var(--dim);
user-select:none}
.quote .hit{color:var(--text);border-left-color:var(--fatal)}.quote .gap{padding-left:3.5rem;text-indent:0}
mark{background:#ffe58a;color:#1c2128;border-radius:2px;padding:0 .1em}
ol.ticks{list-style:none;padding:0}ol.ticks>li{display:grid;grid-template-columns:auto minmax(0,1fr);gap:0 .6rem;
margin:.6rem 0}
ol.ticks input{width:1.15rem;height:1.15rem;margin:.2rem 0 0;accent-color:var(--link)}
ol.ticks label{display:inline;font-weight:400;margin:0}ol.ticks input:checked+div>label{color:var(--dim)}
table{border-collapse:collapse;width:100%;font-size:.95rem}th,td{text-align:left;padding:.3rem .6rem .3rem 0;
vertical-align:top;border-bottom:1px solid var(--line)}th{color:var(--dim);font-weight:600}td.number{white-space:nowrap}
ul.list>li>details{grid-column:1/-1;margin:.1rem 0}
.bad{color:var(--error)}
@media (max-width:40rem){svg.wide{display:none}svg.narrow{display:block}.quote .line{padding-left:3rem;
text-indent:-3rem}.quote .n{width:2.5rem}}
@media print{:root{color-scheme:light;--fatal:#a40e26;--error:#9a3412;--warning:#7a5200;--good:#116329;--info:#333}
.toc{display:none}svg.wide{display:block}svg.narrow{display:none}figure,table tr,ol.ticks>li{break-inside:avoid}
.quote,.quote pre{break-inside:auto}details.closed{display:none}h2{margin-top:1rem}
mark{outline:1px solid #000;background:none}}
"""
)
