import { createInterface } from 'node:readline/promises';
import { styleText } from 'node:util';
import { toPlainText } from '../plain-text.ts';
import { fitToWidth, formatStage } from './format-stage.ts';
import type { ProgressStage } from './views.ts';

export type Terminal = {
  /** False when no person can type an answer. */
  readonly canAnswer: boolean;
  printLine(line: string): void;
  /** Shows the stages of a Change: finished ones once with their time, the running one live. */
  showStages(stages: ProgressStage[]): void;
  /** Repeats the question until the answer is yes or no, because no is final; `no` says what it does. */
  confirm(question: string, effects: { no: string }): Promise<boolean>;
  ask(question: string): Promise<string>;
  close(): void;
};

export type TerminalOptions = {
  /** Answers every confirmation with yes. */
  yes: boolean;
  input?: NodeJS.ReadableStream;
  output?: NodeJS.WritableStream & { isTTY?: boolean; columns?: number };
  /** The kind of terminal (TERM). A dumb one cannot erase a line. */
  kind?: string | undefined;
  /** Called on Ctrl-C at a question, when the terminal sends no signal. */
  onInterrupt?: () => void;
};

/** Each zone counts as a separate stage. */
const toStageKey = ({ stage, zone }: ProgressStage): string => zone ?? stage;

const spinner = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const marks = { green: '✔', blue: '●', amber: '◆', red: '✖', grey: '·' } as const;
const colorNames = { green: 'green', blue: 'blue', amber: 'yellow', red: 'red', grey: 'gray' } as const;

/** Writes progress to standard error, so that standard output can carry data. */
export function createTerminal({
  yes,
  input = process.stdin,
  output: out = process.stderr,
  kind = process.env['TERM'],
  onInterrupt = () => {},
}: TerminalOptions): Terminal {
  const live = Boolean(out.isTTY) && kind !== 'dumb';
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
  const color = (name: Parameters<typeof styleText>[0], text: string): string =>
    live ? styleText(name, text, { stream: out as NodeJS.WriteStream }) : text;
  const seconds = (stage: ProgressStage): string =>
    `${((Date.now() - (since.get(toStageKey(stage)) ?? startedAt)) / 1000).toFixed(1)} s`;
  const paint = (stage: ProgressStage, mark: string): string => {
    const text = toPlainText(formatStage(stage, seconds(stage)));
    return `${color(colorNames[stage.colour], mark)} ${live ? fitToWidth(text, (out.columns || 80) - 2) : text}`;
  };
  const spin = (): void => {
    const busy = current.find(({ colour }) => colour === 'blue') ?? current.find(({ colour }) => colour === 'amber');
    if (!busy) return;
    frame = (frame + 1) % spinner.length;
    clear();
    out.write(paint(busy, spinner[frame] ?? ''));
  };
  const timer = live ? setInterval(spin, 100) : undefined;
  timer?.unref();

  const prompt = async (question: string): Promise<string> => {
    clear();
    current = [];
    const reading = createInterface({ input, output: out });
    try {
      return await Promise.race([
        reading.question(`${color('yellow', '?')} ${toPlainText(question)} `),
        waitForEnd(reading),
      ]);
    } finally {
      reading.close();
    }
  };
  const waitForEnd = async (reading: ReturnType<typeof createInterface>): Promise<never> =>
    await new Promise((_, reject) => {
      reading.on('SIGINT', onInterrupt);
      reading.on('close', () =>
        reject(new Error('The input ended without an answer. Pass --yes to approve everything.')),
      );
    });

  return {
    canAnswer: !yes,
    printLine: (text) => line(toPlainText(text)),
    showStages(stages) {
      current = stages;
      for (const stage of stages) {
        const key = toStageKey(stage);
        if (stage.colour !== 'grey' && !since.has(key)) since.set(key, Date.now());
        const state = `${stage.colour} ${stage.colour === 'green' ? '' : (stage.detail ?? '')}`;
        const hasChanged = shown.get(key) !== state && stage.colour !== 'grey' && !(live && stage.colour === 'blue');
        if (hasChanged) line(paint(stage, marks[stage.colour]));
        shown.set(key, state);
      }
    },
    async confirm(question, { no }) {
      if (yes) {
        line(`${color('yellow', '?')} ${toPlainText(question)} yes (--yes)`);
        return true;
      }
      for (;;) {
        const answer = (await prompt(`${question} [y/n]`)).trim().toLowerCase();
        if (['y', 'yes'].includes(answer)) return true;
        if (['n', 'no'].includes(answer)) return false;
        line(`Type y or n: n ${no}. Ctrl-C stops here, and the next demo asks again.`);
      }
    },
    ask: async (question) => (await prompt(`${question}:`)).trim(),
    close() {
      clearInterval(timer);
      clear();
    },
  };
}
