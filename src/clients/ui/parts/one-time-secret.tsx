import { type ReactNode, useEffect, useId, useRef } from 'react';
import { Button } from './button.tsx';
import { CopyButton } from './copy.tsx';
import { usePassedFocus } from './use-passed-focus.ts';
import styles from './one-time-secret.module.css';

/** A text that no later request returns, with the focus, until the person has it. */
export function OneTimeSecret({
  title,
  level,
  text,
  copy,
  onClose,
  children,
}: {
  title: string;
  level: 2 | 3;
  text: string;
  /** The label of the button that copies the text. */
  copy: string;
  onClose: () => void;
  children: ReactNode;
}) {
  const Heading = `h${level}` as const;
  const id = useId();
  const section = useRef<HTMLElement>(null);
  useEffect(() => section.current?.focus(), [text]);
  usePassedFocus(section);
  return (
    <section className={styles['secret']} aria-labelledby={id} ref={section} tabIndex={-1}>
      <Heading id={id}>{title}</Heading>
      <p className="dim">{children}</p>
      <code className={styles['text']}>{text}</code>
      <div className="row">
        <CopyButton text={text} label={copy} />
        <Button small look="plain" onClick={onClose}>
          I have it
        </Button>
      </div>
    </section>
  );
}
