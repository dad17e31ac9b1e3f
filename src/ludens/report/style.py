"""How a report looks: one column on a phone, by day and by night."""

from ludens.pictures import board, curves

STYLE = (
    """
:root{color-scheme:light dark;--paper:#fff;--ink:#1d1f23;--soft:#5d636e;--rule:#dfe2e7;
--panel:#f7f8fa}
@media(prefers-color-scheme:dark){:root{--paper:#15171b;--ink:#e7e8ea;--soft:#9aa1ad;
--rule:#30343b;--panel:#1d2025}}
*{box-sizing:border-box}
body{margin:0 auto;padding:1rem;max-width:72rem;background:var(--paper);
color:var(--ink);font:16px/1.5 system-ui,sans-serif}
h1{margin:.5rem 0 0}h2{margin:2rem 0 .5rem}
p{max-width:46rem}.soft,dt,figcaption+svg text{color:var(--soft)}
dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr));gap:.6rem}
dl div{background:var(--panel);border-radius:.5rem;padding:.5rem .75rem}
dt{font-size:.85rem}dd{margin:0;font-weight:600;overflow-wrap:anywhere}
.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(20rem,100%),1fr));
gap:1rem}
figure{margin:0;padding:.75rem;background:var(--panel);border-radius:.5rem}
figcaption{font-weight:600}
table{border-collapse:collapse;font-size:.9rem}
th,td{text-align:left;padding:.2rem .9rem .2rem 0;vertical-align:top;
border-bottom:1px solid var(--rule)}
td.number{text-align:right;font-variant-numeric:tabular-nums}
.wide{overflow-x:auto}
details{margin:1rem 0}summary{cursor:pointer;font-weight:600;font-size:1.05rem}
.moves{display:grid;gap:1rem .75rem;
grid-template-columns:repeat(auto-fill,minmax(min(9.5rem,46%),1fr))}
.move{font-size:.85rem;line-height:1.35}.moves>p{align-self:center}
.board{display:block;width:100%;margin-bottom:.25rem}
pre{overflow-x:auto}
"""
    + curves.STYLE
    + board.STYLE
)
