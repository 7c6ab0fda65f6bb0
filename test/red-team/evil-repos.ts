import type { Probe } from './host-probes.ts';

/** An app that runs the script it is sent, shows the headers it gets, and whose build tried the probes. */
export function buildEvilApp(probes: Probe[]): Record<string, string> {
  return {
    'package.json': JSON.stringify({
      name: 'app',
      private: true,
      type: 'module',
      scripts: { start: 'node server.js', build: 'node build.js' },
    }),
    'probes.json': JSON.stringify(probes),
    'build.js': `import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
const probes = JSON.parse(readFileSync('probes.json', 'utf8'));
const outputs = probes.map(({ name, script }) => {
  const { stdout } = spawnSync('/bin/bash', ['-c', script], { encoding: 'utf8', timeout: 6000 });
  return [name, stdout];
});
writeFileSync('built.json', JSON.stringify(Object.fromEntries(outputs)));
`,
    'server.js': `import { exec } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost');
  if (pathname === '/run')
    return exec(searchParams.get('script'), { shell: '/bin/bash', timeout: 6000 }, (error, output) => response.end(output));
  if (pathname === '/built') return response.end(readFileSync('built.json'));
  if (pathname === '/page')
    return response.setHeader('content-type', 'text/html').end(searchParams.get('html') ?? '');
  response.end(JSON.stringify(request.headers));
}).listen(Number(process.env.PORT), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
`,
  };
}
