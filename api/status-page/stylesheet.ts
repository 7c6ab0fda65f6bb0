import { hash } from 'node:crypto';

/** The stylesheet of the status page, in the colours of the web UI. It is inside the page, so that there is one request. */
export const stylesheet = `
:root{color-scheme:light dark;--text:light-dark(#1f1b20,#efecf0);--dim:light-dark(#544e57,#bbb4be);--line:light-dark(#e6e2db,#2d2930);--accent:light-dark(#7d2459,#e6a2c9);--on:light-dark(#fff,#161417);--ok:light-dark(#17693a,#74d199);--warn:light-dark(#855000,#f3b65c);--bad:light-dark(#ae241d,#ff968c);--idle:light-dark(#645d67,#a39ca7)}
*{box-sizing:border-box}
body{margin:0;background:light-dark(#fdfcfa,#161417);color:var(--text);font:14px/22px system-ui,sans-serif;overflow-wrap:anywhere}
main{max-width:712px;margin:0 auto;padding:40px 16px 56px}
h1,h2,h3,p,ol,ul,dl,dd{margin:0;padding:0}
ol,ul{list-style:none}
h1{display:flex;gap:12px;font-size:26px;line-height:34px;margin:2px 0 6px}
h2{font-size:16px;line-height:24px}
h3{font-size:14px;line-height:22px}
bdi,h1 span,.note{unicode-bidi:isolate}
svg.m{width:16px;height:16px;flex:none}
h1 svg.m{width:26px;height:26px;margin-top:4px}
.dim,time{color:var(--dim)}
section{padding:24px 0;border-bottom:1px solid var(--line)}
.row{display:flex;flex-wrap:wrap;justify-content:space-between;gap:2px 16px}
.st{display:inline-flex;gap:6px;align-items:center;font-weight:600}
.operational{color:var(--ok)}.degraded{color:var(--warn)}.down{color:var(--bad)}.not-released,.none{color:var(--idle)}
h1 .name{color:var(--text)}
.days{display:block;width:100%;height:30px;margin:14px 0 4px}
.obj{display:grid;grid-template-columns:minmax(0,max-content) 1fr;gap:2px 20px;margin-top:10px}
.obj dd{color:var(--dim)}
.open{border:1px solid var(--line);border-left:4px solid;border-radius:7px;padding:14px 18px;margin-top:20px}
.open h3,.open p{color:var(--text)}
li.inc{margin-top:14px}
.ups{margin-top:6px;display:grid;gap:8px}
.ups time{display:block;font-size:12px}
.note{white-space:pre-line;color:var(--text)}
footer{padding-top:20px;color:var(--dim)}
footer ul{display:flex;flex-wrap:wrap;gap:4px 16px}
a{color:var(--accent);text-underline-offset:3px}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
@media(max-width:420px){.obj{grid-template-columns:1fr}.obj dd{margin-bottom:6px}}
@media(forced-colors:active){svg{forced-color-adjust:none}}
`;

/** Only the stylesheet above; the page needs nothing else. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${hash('sha256', stylesheet, 'base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
