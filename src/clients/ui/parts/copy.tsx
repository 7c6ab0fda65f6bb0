import { Check, Copy as CopyIcon } from 'lucide-react';
import { useState } from 'react';
import { announce } from '../shell/announcer.tsx';
import { Button } from './button.tsx';
import { copyText } from './copy-text.ts';
import styles from './page.module.css';

type Props = {
  text: string;
  label: string;
  /** Shows the icon alone; screen readers read the label. */
  iconOnly?: boolean;
};

/** Copies a text to the clipboard, also on pages that are served by plain http. */
export function CopyButton({ text, label, iconOnly = false }: Props) {
  const [copied, setCopied] = useState<string>();
  const copy = async (): Promise<void> => {
    const isDone = await copyText(text);
    if (isDone) setCopied(text);
    announce(isDone ? 'Copied.' : 'Not copied: select the text and copy it.');
  };
  const Icon = copied === text ? Check : CopyIcon;
  return (
    <Button
      small
      {...(iconOnly && { look: 'plain' as const, 'aria-label': label, title: label })}
      onClick={() => void copy()}
    >
      <Icon className="i s" aria-hidden="true" />
      {!iconOnly && (copied === text ? 'Copied' : label)}
    </Button>
  );
}

/** A value that people copy, with the button that does. */
export const Copy = ({ text, label }: { text: string; label: string }) => (
  <span className={styles['copy']}>
    <code>{text}</code>
    <CopyButton text={text} label={label} iconOnly />
  </span>
);
