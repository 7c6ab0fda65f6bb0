const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => escapes[character] ?? character);

/** Renders a text with `code` and paragraphs, which is all the Markdown that descriptions use. */
export const renderText = (text: string): string =>
  text
    .split('\n\n')
    .map((paragraph) => `<p>${renderInline(paragraph)}</p>`)
    .join('');

export const renderInline = (text: string): string => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');

const style = `
:root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 18%, transparent); --soft: color-mix(in srgb, currentColor 70%, transparent) }
* { box-sizing: border-box } body { margin: 0; font: 15px/1.55 system-ui, sans-serif; display: grid; grid-template-columns: 18rem minmax(0, 1fr) }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1.2rem; border-right: 1px solid var(--line); font-size: 13px }
nav ul { list-style: none; margin: 0 0 1rem; padding: 0 } nav a { display: block; padding: .12rem 0 } main { padding: 1.5rem 2.5rem; max-width: 62rem; min-width: 0 }
.skip { position: absolute; left: -999rem } .skip:focus { left: 0; padding: .5rem 1rem; background: Canvas; z-index: 1 }
a { color: inherit; text-decoration-color: var(--line) } a:hover { text-decoration-color: currentColor } h1 { margin-top: 0 } h2 { margin-top: 3rem }
article { border-top: 1px solid var(--line); padding: 1.1rem 0 } article:target { background: color-mix(in srgb, Highlight 8%, transparent) }
h3 { margin: 0; font-size: 1rem } code, pre { font: 13px/1.5 ui-monospace, monospace; overflow-wrap: anywhere }
pre { white-space: pre-wrap; padding: .8rem 1rem; border: 1px solid var(--line); border-radius: 6px }
.method { text-transform: uppercase; font-weight: 600 } .role { font-size: 12px; border: 1px solid var(--line); border-radius: 99px; padding: .05rem .6rem; margin-left: .6rem }
.soft { color: var(--soft) } dl { margin: .6rem 0 } dt { border-top: 1px solid var(--line); padding-top: .3rem; overflow-wrap: anywhere } dd { margin: 0 0 .3rem 1rem; overflow-wrap: anywhere }
summary { cursor: pointer } .deprecated h3 { text-decoration: line-through }
@media (max-width: 50rem) { body { display: block } nav { position: static; height: auto; border: 0 } main { padding: 1rem } }`;

/** Renders a self-contained page that loads no other resource. */
export const htmlPage = (title: string, { nav, main }: { nav: string; main: string }): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title><style>${style}</style></head>
<body><a class="skip" href="#main">Skip to the content</a><nav aria-label="Contents">${nav}</nav><main id="main">${main}</main></body></html>`;
