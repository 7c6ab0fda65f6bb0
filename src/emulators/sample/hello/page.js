const escapes = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export function escapeHtml(text) {
  return text.replace(/[&<>"']/g, (character) => escapes[character]);
}

/** Renders the front page and escapes every value. */
export function page({ greeting, version, commit }) {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escapeHtml(greeting)}</title>
    <style>
      body { margin: 0; min-height: 100vh; display: grid; place-content: center; text-align: center;
             font: 1.1rem/1.5 system-ui, sans-serif; color: #14213d; background: linear-gradient(160deg, #eef4ff, #fdf6ec); }
      h1 { margin: 0 0 .5rem; font-size: clamp(2.5rem, 8vw, 5rem); letter-spacing: -.03em; }
      small { color: #5c677d; }
    </style>
  </head>
  <body>
    <h1>${escapeHtml(greeting)}</h1>
    <small>${escapeHtml(version)} · ${escapeHtml(commit.slice(0, 12))}</small>
  </body>
</html>
`;
}
