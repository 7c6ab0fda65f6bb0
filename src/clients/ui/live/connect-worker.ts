import type { FromHub, ToHub } from './stream-hub.ts';
import type { FromWorker } from './stream-worker.ts';

type Handlers = {
  onMessage: (message: FromHub) => void;
  /** Called when the worker of an earlier build can no longer be loaded. */
  onMissing: () => void;
  /** Called when the worker has ended. */
  onGone: () => void;
};

/** A worker answers at once, unless it has ended or the machine is busy. */
const answerMsMax = 10_000;

/**
 * Connects to the worker that holds the stream of all tabs. The worker ends when the tab crashes that has started it, of
 * which the browser tells the other tabs nothing.
 */
export function connectWorker({ onMessage, onMissing, onGone }: Handlers): (message: ToHub) => void {
  const worker = new SharedWorker(new URL('stream-worker.ts', import.meta.url), { type: 'module', name: 'live' });
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stopWaiting = (): void => {
    clearTimeout(timer);
    timer = undefined;
  };
  const leave = (): void => {
    worker.port.postMessage({ type: 'leave' } satisfies ToHub);
    worker.port.close();
    onGone();
  };
  worker.port.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => {
    stopWaiting();
    if (data.type !== 'alive') onMessage(data);
  });
  worker.port.start();
  worker.addEventListener('error', () => {
    stopWaiting();
    onMissing();
  });
  return (message) => {
    worker.port.postMessage(message);
    if (message.type === 'topics') timer ??= setTimeout(leave, answerMsMax);
  };
}
