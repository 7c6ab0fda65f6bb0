const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => escapes[character] ?? character);

const style = `
:root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 18%, transparent); --soft: color-mix(in srgb, currentColor 65%, transparent) }
* { box-sizing: border-box } body { margin: 0; font: 15px/1.55 system-ui, sans-serif; display: grid; grid-template-columns: 17rem minmax(0, 1fr) }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1.2rem; border-right: 1px solid var(--line); font-size: 13px }
nav ul { list-style: none; margin: 0 0 1rem; padding: 0 } nav a { display: block; padding: .12rem 0 } main { padding: 1.5rem 2.5rem; max-width: 62rem }
a { color: inherit; text-decoration-color: var(--line) } a:hover { text-decoration-color: currentColor } h1 { margin-top: 0 } h2 { margin-top: 3rem }
article { border-top: 1px solid var(--line); padding: 1.1rem 0 } article:target { background: color-mix(in srgb, Highlight 8%, transparent) }
h3 { margin: 0; font-size: 1rem } code, pre { font: 13px/1.5 ui-monospace, monospace } pre { overflow: auto; padding: .8rem 1rem; border: 1px solid var(--line); border-radius: 6px }
.method { text-transform: uppercase; font-weight: 600 } .role { font-size: 12px; border: 1px solid var(--line); border-radius: 99px; padding: .05rem .6rem; margin-left: .6rem }
.soft { color: var(--soft) } table { border-collapse: collapse; width: 100%; margin: .6rem 0 } td, th { text-align: left; vertical-align: top; padding: .25rem .8rem .25rem 0; border-bottom: 1px solid var(--line) }
summary { cursor: pointer } .deprecated h3 { text-decoration: line-through }
@media (max-width: 50rem) { body { display: block } nav { position: static; height: auto; border: 0 } main { padding: 1rem } }`;

/** Renders a self-contained page that loads no other resource. */
export const htmlPage = (title: string, { nav, main }: { nav: string; main: string }): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title><style>${style}</style></head>
<body><nav>${nav}</nav><main>${main}</main></body></html>`;
