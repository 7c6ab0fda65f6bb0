import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';

const stopSignal = new URL('../../../src/main/process/stop-signal.ts', import.meta.url).href;

/** Runs a script whose work never ends, and returns the signal that ended its process. */
async function run(script: string, onOutput: (send: (signal: NodeJS.Signals) => void) => void): Promise<unknown> {
  const source = `import { waitForStopSignal, stopWithin } from '${stopSignal}'; setInterval(() => {}, 1000); ${script}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], { stdio: ['ignore', 'pipe', 'ignore'] });
  child.stdout.once('data', () => onOutput((signal) => child.kill(signal)));
  const [, signal] = await once(child, 'exit');
  return signal;
}

it('ends a process that does not stop in time', async () => {
  const script = `console.log('ready'); await stopWithin(() => new Promise(() => {}), 50);`;
  expect(await run(script, () => {})).toBe('SIGKILL');
});

it('ends a process at the second signal, and not at a duplicate of the first', async () => {
  const script = `const stopped = waitForStopSignal(); console.log('ready'); await stopped; await new Promise(() => {});`;
  let laterSignals = 0;
  const signal = await run(script, (send) => {
    send('SIGINT');
    send('SIGTERM');
    const later = setInterval(() => {
      laterSignals += 1;
      send('SIGTERM');
    }, 2_500);
    onTestFinished(() => clearInterval(later));
  });
  expect(signal).toBe('SIGKILL');
  expect(laterSignals).toBeGreaterThan(0);
});
