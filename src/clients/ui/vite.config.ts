import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Packages that every page needs. In one file they compress better, and browsers keep it when only our code changes. */
const everyPage =
  /node_modules\/(react|react-dom|scheduler|use-sync-external-store|@tanstack\/[\w-]+)\/(?!.*(infinite|useMutation|mutationObserver|[qQ]ueriesObserver|useQueries|useBlocker))/;

export default defineConfig({
  plugins: [react()],
  worker: { format: 'es' },
  build: {
    // The content security policy allows no inlined fonts and scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    emptyOutDir: true,
    target: 'es2023',
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'packages', test: everyPage }] } } },
  },
});
