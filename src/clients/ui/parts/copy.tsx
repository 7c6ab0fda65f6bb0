import { Check, Copy as CopyIcon } from 'lucide-react';
import { useState } from 'react';
import { announce } from '../shell/announcer.tsx';
import { Button } from './button.tsx';
import { copyText } from './copy-text.ts';
import styles from './page.module.css';

function useCopy(text: string): { isCopied: boolean; copy: () => void } {
  const [copied, setCopied] = useState<string>();
  const copy = async (): Promise<void> => {
    const isDone = await copyText(text);
    if (isDone) setCopied(text);
    announce(isDone ? 'Copied.' : 'Not copied: select the text and copy it.');
  };
  return { isCopied: copied === text, copy: () => void copy() };
}

/** Copies a text to the clipboard, also on pages that are served by plain http. */
export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const { isCopied, copy } = useCopy(text);
  const Icon = isCopied ? Check : CopyIcon;
  return (
    <Button small onClick={copy}>
      <Icon className="i s" aria-hidden="true" />
      {isCopied ? 'Copied' : label}
    </Button>
  );
}

/** A value that people copy, with the button that does. */
export function Copy({ text, what }: { text: string; what: string }) {
  const { isCopied, copy } = useCopy(text);
  const Icon = isCopied ? Check : CopyIcon;
  return (
    <span className={styles['copy']}>
      <code>{text}</code>
      <Button look="plain" small aria-label={`Copy ${what}`} onClick={copy}>
        <Icon className="i s" aria-hidden="true" />
      </Button>
    </span>
  );
}
