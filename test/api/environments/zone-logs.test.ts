import { describe, expect, it } from 'vitest';
import { eventually } from '../../local/cluster/a-cluster.ts';
import { type AZoneView, aZoneView, server, wrongIn } from './a-zone-view.ts';

type Logs = { pods: { name: string; lines: { at: string; text: string }[] }[]; notRunning?: string };

/** An app that writes these lines, then listens; what `then` does comes after that. */
const writing = (lines: string, then = ''): string => `${server} for (const line of ${lines}) console.log(line);
createServer((_, response) => response.end()).listen(process.env.PORT, () => { console.log('ready'); ${then} });`;
const counted = "Array.from({ length: 2500 }, (_, at) => 'line ' + at)";

async function untilReady(view: AZoneView, pods = 1): Promise<Logs['pods']> {
  return await eventually(async () => {
    const logs = await view.read<Logs>('/logs');
    expect(logs.pods.filter(({ lines }) => lines.at(-1)?.text === 'ready')).toHaveLength(pods);
    return logs.pods;
  });
}

describe('the logs of a zone', () => {
  it('are the last lines of each pod as text under a heading: 200, or as many as asked for up to 2,000', async () => {
    const view = await aZoneView();
    await view.deploy(writing(counted), { replicas: 2 });
    const names = (await untilReady(view, 2)).map(({ name }) => name);
    const response = await view.get('/logs');
    expect(response.headers.get('content-type')).toMatch(/^text\/plain/);
    const text = await response.text();
    expect(text.match(/^==> .* <==$/gm)).toEqual(names.map((name) => `==> ${name} <==`));
    expect(text.match(/^\S+Z line \d+$/gm)).toHaveLength(2 * 199);
    const most = await view.read<Logs>('/logs?tail=2000');
    expect(most.pods.map(({ lines }) => [lines.length, lines[0]?.text])).toEqual([
      [2000, 'line 501'],
      [2000, 'line 501'],
    ]);
    const one = await view.read<Logs>(`/logs?tail=1&contains=line&pod=${names[1]}`);
    expect(one.pods.map(({ name, lines }) => [name, lines.map((line) => line.text)])).toEqual([
      [names[1], ['line 2499']],
    ]);
    const future = new Date(Date.now() + 60_000).toISOString();
    expect((await view.read<Logs>(`/logs?since=${future}`)).pods.flatMap(({ lines }) => lines)).toEqual([]);
  });

  it('hold the lines of before the last restart apart', async () => {
    const view = await aZoneView();
    const app = writing(
      '[]',
      `import('node:fs').then(({ existsSync, writeFileSync }) => {
        if (existsSync('/data/died')) return console.log('second life');
        writeFileSync('/data/died', ''); console.log('farewell'); process.exit(1); });`,
    );
    const persistence = [{ name: 'data', size: '1Gi', mountPath: '/data' }];
    await view.deploy(app, { persistence, strategy: 'Recreate' }, false);
    const texts = async (query: string): Promise<string[]> =>
      (await view.read<Logs>(`/logs${query}`)).pods.flatMap(({ lines }) => lines.map(({ text }) => text));
    await eventually(async () => expect(await texts('')).toEqual(['ready', 'second life']));
    expect(await texts('?previous=true')).toEqual(['ready', 'farewell']);
  });

  it('cannot be made to look like those of another pod', async () => {
    const view = await aZoneView();
    const forged = String.raw`['==> hello-rc-other <==', '\r==> cr <==', '\x1b[2J\x1b[31m==> esc\x1b[0m <==', 'a\x0b==> vt', 'b\u2028==> ls',
      '2026-01-01T00:00:00.000Z hello-rc-other/0 forged']`;
    await view.deploy(writing(forged));
    const [pod] = await untilReady(view);
    const text = await (await view.get('/logs')).text();
    // eslint-disable-next-line no-control-regex
    expect(text).not.toMatch(/[\r\u0000-\u0008\u000b-\u001f\u2028]/);
    expect(text.split('\n').filter((line) => line.startsWith('==>'))).toEqual([`==> ${pod?.name} <==`]);
    expect(pod?.lines.map((line) => line.text)).toEqual([
      '==> hello-rc-other <==',
      '\u{FFFD}==> cr <==',
      '==> esc <==',
      'a\u{FFFD}==> vt',
      'b\u{FFFD}==> ls',
      '2026-01-01T00:00:00.000Z hello-rc-other/0 forged',
      'ready',
    ]);
  });

  it('422: refuses what is out of bounds, and names of pods that lead elsewhere or belong to nobody', async () => {
    const view = await aZoneView();
    for (const tail of ['0', '2001', '-1', '1.5', 'all'])
      expect(await wrongIn(await view.get(`/logs?tail=${tail}`))).toEqual({ status: 422, pointers: ['?tail'] });
    for (const pod of ['../hello-prod', '..%2F..%2Fetc%2Fpasswd', 'hello-prod-0', 'A', 'a%0Ab'])
      expect(await wrongIn(await view.get(`/logs?pod=${pod}`))).toEqual({ status: 422, pointers: ['?pod'] });
    expect(await wrongIn(await view.get('/logs?since=yesterday'))).toEqual({ status: 422, pointers: ['?since'] });
    expect((await view.get('/logs?lines=5')).status).toBe(422);
  });

  it('say why there are none where no pods run', async () => {
    const view = await aZoneView();
    expect(await (await view.get('/logs')).text()).toBe('No Release has come yet.\n');
    expect(await view.read<Logs>('/logs')).toEqual({ pods: [], notRunning: 'No Release has come yet.' });
  });
});
