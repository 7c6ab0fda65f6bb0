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

export default defineConfig({
  plugins: [react(), listFiles],
  worker: { format: 'es' },
  build: {
    // The content security policy allows no inlined fonts and scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    emptyOutDir: true,
    target: 'es2023',
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // The first load is two files. Browsers keep the packages when only our code changes.
            { name: 'packages', test: /node_modules/, tags: ['$initial'], priority: 2 },
            { name: 'index', tags: ['$initial'], priority: 1 },
          ],
        },
      },
    },
  },
});
