import { createInterface } from 'node:readline/promises';
import { styleText } from 'node:util';
import type { ProgressStage } from './views.ts';

export type Terminal = {
  printLine(line: string): void;
  /** Shows the stages of a Change: finished ones once with their time, the running one live. */
  showStages(stages: ProgressStage[]): void;
  confirm(question: string): Promise<boolean>;
  ask(question: string): Promise<string>;
  close(): void;
};

/** Each zone counts as a separate stage. */
const toStageKey = ({ stage, zone }: ProgressStage): string => zone ?? stage;

const spinner = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const marks = { green: '✔', blue: '●', amber: '◆', red: '✖', grey: '·' } as const;
const colorNames = { green: 'green', blue: 'blue', amber: 'yellow', red: 'red', grey: 'gray' } as const;

/** Writes progress to standard error, so that standard output can carry data. */
export function createTerminal({ yes }: { yes: boolean }): Terminal {
  const out = process.stderr;
  const live = Boolean(out.isTTY);
  const startedAt = Date.now();
  const since = new Map<string, number>();
  const shown = new Map<string, string>();
  let current: ProgressStage[] = [];
  let frame = 0;

  const clear = (): void => void (live && out.write('\r\x1b[K'));
  const line = (text: string): void => {
    clear();
    out.write(`${text}\n`);
  };
  const seconds = (from: number): string => `${((Date.now() - from) / 1000).toFixed(1)} s`;
  const paint = ({ label, detail, colour }: ProgressStage, time: string): string =>
    `${styleText(colorNames[colour], marks[colour], { stream: out })} ${label.padEnd(24)} ${styleText('dim', time.padStart(8), { stream: out })}  ${detail ?? ''}`;
  const spin = (): void => {
    const busy = current.find(({ colour }) => colour === 'blue') ?? current.find(({ colour }) => colour === 'amber');
    if (!busy) return;
    frame = (frame + 1) % spinner.length;
    const sign = styleText(colorNames[busy.colour], spinner[frame] ?? '', { stream: out });
    clear();
    out.write(
      `${sign} ${busy.label.padEnd(24)} ${seconds(since.get(toStageKey(busy)) ?? startedAt).padStart(8)}  ${busy.detail ?? ''}`.slice(
        0,
        (out.columns ?? 80) + 20,
      ),
    );
  };
  const timer = live ? setInterval(spin, 100) : undefined;
  timer?.unref();

  const prompt = async (question: string): Promise<string> => {
    clear();
    current = [];
    const reading = createInterface({ input: process.stdin, output: out });
    try {
      return await reading.question(`${styleText('yellow', '?', { stream: out })} ${question} `);
    } finally {
      reading.close();
    }
  };

  return {
    printLine: line,
    showStages(stages) {
      current = stages;
      for (const stage of stages) {
        const key = toStageKey(stage);
        if (stage.colour !== 'grey' && !since.has(key)) since.set(key, Date.now());
        const state = `${stage.colour} ${stage.colour === 'green' ? '' : (stage.detail ?? '')}`;
        const hasChanged = shown.get(key) !== state && stage.colour !== 'grey' && !(live && stage.colour === 'blue');
        if (hasChanged) line(paint(stage, seconds(since.get(key) ?? startedAt)));
        shown.set(key, state);
      }
    },
    async confirm(question) {
      if (yes) {
        line(`${styleText('yellow', '?', { stream: out })} ${question} yes (--yes)`);
        return true;
      }
      const answer = await prompt(`${question} [y/N]`);
      return /^y(es)?$/i.test(answer.trim());
    },
    async ask(question) {
      if (!yes) return await prompt(`${question}:`);
      throw new Error(`${question}: --yes approves, but it cannot answer a question.`);
    },
    close() {
      clearInterval(timer);
      clear();
    },
  };
}
