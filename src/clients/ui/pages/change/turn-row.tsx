import { useState } from 'react';
import type { Schemas } from '../../api/generated/openapi.ts';
import { describeTurn } from './describe-turn.ts';
import styles from './transcript.module.css';

type Turn = Schemas['Turn'];

const triggers: Record<string, string> = {
  start: 'Task',
  'changes-requested': 'A review requested changes',
  guidance: 'A person gave guidance',
  conflicts: 'The pull request had conflicts',
  restart: 'The step was started again',
};
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });

/** One turn in a line; opened, it shows what the agent was given, wrote, called and got back. */
export function TurnRow({ turn }: { turn: Turn }) {
  const [isOpen, setOpen] = useState(false);
  const { tool, object, text, isError } = describeTurn(turn);
  return (
    <>
      {turn.prompt && <p className={styles['round']}>{triggers[turn.prompt.trigger] ?? turn.prompt.trigger}</p>}
      <details
        className={styles['turn']}
        data-look={isError ? 'error' : turn.verdict?.outcome === 'needs-guidance' ? 'asks' : undefined}
        onToggle={(event) => setOpen(event.currentTarget.open)}
      >
        <summary>
          {turn.completedAt === undefined ? (
            <span className="faint">now</span>
          ) : (
            <time dateTime={turn.completedAt}>{clock.format(new Date(turn.completedAt))}</time>
          )}
          <span className="dim">turn {turn.turn}</span>
          <span>
            {tool} {object !== undefined && <b>{object}</b>} {text}
            {isError && <span className="sr"> failed</span>}
          </span>
        </summary>
        {isOpen && <Whole turn={turn} />}
      </details>
    </>
  );
}

/** Everything here is text that others wrote; it is never rendered as markup. */
function Whole({ turn: { turn, prompt, text, toolCalls, results, usage } }: { turn: Turn }) {
  return (
    <div className={styles['whole']}>
      {prompt && <Block title="Given to the agent" text={prompt.text} />}
      {text !== '' && <Block title="The agent wrote" text={text} />}
      {toolCalls.map(({ name, input }, index) => (
        <Block key={`call ${index}`} title={`Called ${name}`} text={JSON.stringify(input, undefined, 2)} />
      ))}
      {results.map(({ name, text: result, isError }, index) => (
        <Block key={`result ${index}`} title={`${isError ? 'Failure' : 'Result'} of ${name}`} text={result} />
      ))}
      {usage && (
        <p className="dim">
          Turn {turn} read {usage.inputTokens.toLocaleString('en')} tokens and wrote{' '}
          {usage.outputTokens.toLocaleString('en')}.
        </p>
      )}
    </div>
  );
}

const Block = ({ title, text }: { title: string; text: string }) => (
  <>
    <p className={styles['title']}>{title}</p>
    <pre role="group" tabIndex={0} aria-label={title}>
      {text}
    </pre>
  </>
);
