import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** Writes the list of scripts and styles, which a tab fetches before it needs them. */
const listFiles: Plugin = {
  name: 'list-files',
  generateBundle(_, bundle) {
    const files = Object.keys(bundle).filter((name) => /\.(js|css)$/.test(name));
    this.emitFile({ type: 'asset', fileName: 'files.json', source: JSON.stringify(files.map((name) => `/${name}`)) });
  },
};

/** Loads the font with the scripts: text that is shown in another font first moves when its own arrives. */
const preloadFont: Plugin = {
  name: 'preload-font',
  transformIndexHtml(_, { bundle = {} }) {
    const name = Object.keys(bundle).find((file) => file.includes('hanken-grotesk-latin-wght'));
    if (name === undefined) return [];
    const attrs = { rel: 'preload', as: 'font', type: 'font/woff2', crossorigin: true, href: `/${name}` };
    return [{ tag: 'link', attrs, injectTo: 'head' }];
  },
};

export default defineConfig({
  plugins: [react(), listFiles, preloadFont],
  worker: { format: 'es' },
  build: {
    // The content security policy allows no inlined fonts and scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    emptyOutDir: true,
    target: 'es2023',
    rolldownOptions: {
      output: {
        // The name of a shared file lists all pages that load it.
        chunkFileNames: ({ name }) => `assets/${name.replace(/~.*/, '')}-[hash].js`,
        assetFileNames: ({ names: [name = ''] }) => `assets/${name.replace(/~.*|\.\w+$/, '')}-[hash][extname]`,
        codeSplitting: {
          groups: [
            // The first load is two files. Browsers keep the packages when only our code changes.
            { name: 'packages', test: /node_modules/, tags: ['$initial'], priority: 2 },
            { name: 'index', tags: ['$initial'], priority: 1 },
            // Each file costs a request, so that what most pages need is one, and what few of them share are some.
            { name: 'common', minShareCount: 8 },
            { name: 'shared', minShareCount: 2, entriesAware: true, entriesAwareMergeThreshold: 1_500 },
          ],
        },
      },
    },
  },
});
