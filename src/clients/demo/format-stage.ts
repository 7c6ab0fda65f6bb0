import type { ProgressStage } from './views.ts';

/** Formats a stage without its mark. The detail of a failure is left out, because the result prints it in full. */
export function formatStage({ label, detail, colour }: ProgressStage, seconds: string): string {
  const text = colour === 'red' ? '' : toFirstLine(detail ?? '');
  return `${label.padEnd(24)} ${seconds.padStart(8)}  ${text}`.trimEnd();
}

/** Cuts a text to one terminal line. A longer one would wrap, and only its last line could be replaced. */
export const fitToWidth = (text: string, columns: number): string =>
  text.length < columns ? text : `${text.slice(0, Math.max(columns - 2, 0))}…`;

const toFirstLine = (text: string): string => {
  const [first = '', ...rest] = text.trim().split('\n');
  return rest.length > 0 ? `${first} …` : first;
};
