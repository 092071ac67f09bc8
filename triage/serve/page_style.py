"""Style and script of the help desk's pages. All works without the script: it drops files, copies, and nothing else."""

from __future__ import annotations

from triage.render.report_style import REPORT_STYLE

STYLE = (
    REPORT_STYLE
    + """
textarea{width:100%;min-height:14rem;font:.875rem/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;
color:var(--text);background:var(--code);border:1px solid var(--line);border-radius:5px;padding:.6rem .75rem}
.drop{border:2px dashed var(--line);border-radius:5px;padding:.75rem;margin:.75rem 0}
.drop.over{border-color:var(--link)}
input[type=text],input[type=file]{font:inherit;color:inherit;max-width:100%}
input[type=text]{background:var(--bg);border:1px solid var(--line);border-radius:5px;padding:.35rem .5rem}
button{font:inherit;color:var(--bg);background:var(--link);border:0;border-radius:5px;padding:.5rem 1rem;cursor:pointer}
button.quiet{color:var(--link);background:none;border:1px solid var(--line);padding:.25rem .6rem}
form .row{display:flex;flex-wrap:wrap;gap:.5rem 1.25rem;align-items:center;margin:.75rem 0}
.bar{display:flex;flex-wrap:wrap;gap:.4rem .9rem;align-items:center;font-size:.95rem;border:1px solid var(--line);
border-radius:5px;padding:.5rem .75rem;margin:0 0 1rem;background:var(--soft)}
.bar form{display:inline}.seen{border-left:3px solid var(--warning);padding:.25rem .75rem;margin:.75rem 0}
progress{width:100%;height:1.25rem}
.log{counter-reset:none}.log span{display:block;padding-left:4.5rem;text-indent:-4.5rem;white-space:pre-wrap}
.log a{display:inline-block;width:4rem;margin-right:.5rem;text-indent:0;text-align:right;color:var(--dim);
text-decoration:none;user-select:none}.log span:target{background:var(--soft);outline:2px solid var(--link)}
@media print{.bar,header,form{display:none}}
"""
)

SCRIPT = """
const area=document.querySelector('.drop'),field=document.querySelector('input[type=file]');
if(area&&field){
for(const kind of['dragover','dragleave','drop'])area.addEventListener(kind,e=>{e.preventDefault();
area.classList.toggle('over',kind==='dragover');
if(kind==='drop'){const all=new DataTransfer();for(const f of field.files)all.items.add(f);
for(const f of e.dataTransfer.files)all.items.add(f);field.files=all.files;}});
}
for(const link of document.querySelectorAll('a[data-copy]')){link.setAttribute('role','button');
link.addEventListener('click',async e=>{e.preventDefault();
const text=await(await fetch(link.href)).text();
await navigator.clipboard.writeText(text);
document.querySelector('#said').textContent=link.dataset.copy;});}
"""
