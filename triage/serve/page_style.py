"""Style and script of the help desk's pages. All works without the script, which drops and weighs files, and copies."""

from __future__ import annotations

from triage.render.report_style import REPORT_STYLE

STYLE = (
    REPORT_STYLE
    + """
textarea{width:100%;min-height:14rem;font:.875rem/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;
color:var(--text);background:var(--code);border:1px solid var(--line);border-radius:5px;padding:.6rem .75rem}
.drop{border:2px dashed var(--line);border-radius:5px;padding:.75rem;margin:.75rem 0}
.drop.over{border-color:var(--link)}
input[type=text],input[type=file]{font:inherit;color:inherit;max-width:100%}.drop input{border:0;padding:0}
input[type=text]{background:var(--bg);border:1px solid var(--line);border-radius:5px;padding:.35rem .5rem}
button{font:inherit;color:var(--bg);background:var(--link);border:0;border-radius:5px;padding:.5rem 1rem;cursor:pointer}
button.quiet{color:var(--link);background:none;border:1px solid var(--line);padding:.25rem .6rem}
form .row{display:flex;flex-wrap:wrap;gap:.5rem 1.25rem;align-items:flex-end;margin:.75rem 0}
.bar{display:flex;flex-wrap:wrap;gap:.4rem .9rem;align-items:center;font-size:.95rem;border:1px solid var(--line);
border-radius:5px;padding:.5rem .75rem;margin:0 0 1rem;background:var(--soft)}
.bar form{display:inline}.seen{border-left:3px solid var(--warning);padding:.25rem .75rem;margin:.75rem 0}
.quote a.n{text-decoration:none}.quote a.n:hover{text-decoration:underline}
progress{width:100%;height:1.25rem}
.log{counter-reset:none}.log span{display:block;padding-left:4.5rem;text-indent:-4.5rem;white-space:pre-wrap}
.log a{display:inline-block;width:4rem;margin-right:.5rem;text-indent:0;text-align:right;color:var(--dim);
text-decoration:none;user-select:none}.log span:target{background:var(--soft);outline:2px solid var(--link)}
@media (max-width:40rem){.log span{padding-left:2.9rem;text-indent:-2.9rem}.log a{width:2.4rem}}
@media print{.bar,header,form{display:none}}
"""
)

SCRIPT = """
const form=document.querySelector('form[enctype]'),field=document.querySelector('input[type=file]');
if(form){
const area=document.querySelector('.drop'),told=document.querySelector('#weight');
const weigh=()=>{let sum=0;for(const f of field.files)sum+=f.size;
told.textContent=sum>+field.dataset.most?field.dataset.told:'';return told.textContent==='';};
for(const kind of['dragover','dragleave','drop'])form.addEventListener(kind,e=>{
if(!e.dataTransfer.types.includes('Files'))return;
e.preventDefault();area.classList.toggle('over',kind==='dragover');
if(kind==='drop'){const all=new DataTransfer();for(const f of field.files)all.items.add(f);
for(const f of e.dataTransfer.files)all.items.add(f);field.files=all.files;weigh();}});
field.addEventListener('change',weigh);
form.addEventListener('submit',e=>{if(!weigh())e.preventDefault();});
}
if(navigator.clipboard)for(const link of document.querySelectorAll('a[data-copy]')){link.setAttribute('role','button');
const said=document.querySelector('#said');
link.addEventListener('keydown',e=>{if(e.key===' '){e.preventDefault();link.click();}});
link.addEventListener('click',async e=>{e.preventDefault();
try{await navigator.clipboard.writeText(await(await fetch(link.href)).text());said.textContent=link.dataset.copy;}
catch{location.href=link.href;}});}
"""
