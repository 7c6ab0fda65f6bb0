import { join } from 'node:path';
import { ensureBubblewrap } from './ensure-bubblewrap.ts';
import { findOnPath } from './find-on-path.ts';
import { makeOnce } from './install/make-once.ts';
import { unpackDebianPackages } from './install/unpack-debian-packages.ts';
import { lastLine, runProgram } from './run-program.ts';
import type { Tool, ToolSearch } from './tool.ts';

/** The beginning of a command line that runs a program, or the reason why it is missing and how to fix that. */
export type ToolCommand = { command: [string, ...string[]] } | { missing: string };

type DebianProgram = {
  title: string;
  /** The names of the program; the first one is that of Debian, and of its package. */
  names: readonly [string, ...string[]];
  purpose: string;
};
const prometheus: DebianProgram = {
  title: 'Prometheus',
  names: ['prometheus'],
  purpose: 'stores the metrics of zones',
};
const alertmanager: DebianProgram = {
  title: 'Alertmanager',
  names: ['prometheus-alertmanager', 'alertmanager'],
  purpose: 'sends the alerts of zones',
};

/** Returns Prometheus from PATH, or from Debian's packages. promtool is in the same folder. */
export async function ensurePrometheus(search: ToolSearch): Promise<ToolCommand> {
  const found = await findOrUnpack(prometheus, search);
  if ('missing' in found) return found;
  return { command: 'installed' in found ? [found.installed] : [join(found.unpacked, 'usr/bin/prometheus')] };
}

/** Returns Alertmanager from PATH, or from Debian's packages. */
export async function ensureAlertmanager(search: ToolSearch): Promise<ToolCommand> {
  const found = await findOrUnpack(alertmanager, search);
  if ('missing' in found) return found;
  if ('installed' in found) return { command: [found.installed] };
  const bubblewrap = await ensureBubblewrap(search);
  if ('missing' in bubblewrap) return { missing: `Alertmanager cannot be started. ${bubblewrap.missing}` };
  return {
    command: [
      ...withTemplates(bubblewrap.path, found.unpacked),
      join(found.unpacked, 'usr/bin', alertmanager.names[0]),
    ],
  };
}

/** Debian's build reads its templates from a fixed path, so that path must exist for it. */
const withTemplates = (bubblewrap: string, unpacked: string): [string, ...string[]] => [
  bubblewrap,
  ...'--die-with-parent --dev-bind / / --tmpfs /usr/share --ro-bind'.split(' '),
  join(unpacked, 'usr/share/prometheus'),
  '/usr/share/prometheus',
  '--',
];

type Found = { installed: string } | { unpacked: string } | { missing: string };

async function findOrUnpack({ title, names, purpose }: DebianProgram, search: ToolSearch): Promise<Found> {
  for (const name of names) {
    const installed = await findOnPath(name, search.env);
    if (installed !== undefined) return { installed };
  }
  const [packageName] = names;
  const onStart = () => search.onProgress(`Downloading ${title}, which ${purpose} (once)`);
  const made = await makeOnce(join(search.cacheDir, packageName), search.onProgress, async (workDir): Promise<Tool> => {
    const request = { packages: [packageName], withDependencies: false, workDir, onStart };
    const unpacked = await unpackDebianPackages(request, search);
    if ('missing' in unpacked) return unpacked;
    const program = join(unpacked.folder, 'usr/bin', packageName);
    const test = await runProgram(program, ['--version'], { env: search.env, silenceMs: 60_000 });
    return test.ok ? { path: unpacked.folder } : { missing: `it does not run here (${lastLine(test.output)})` };
  });
  if ('path' in made) return { unpacked: made.path };
  return { missing: `${title} is not on PATH and ${made.missing}. Install "${packageName}" and start again.` };
}
