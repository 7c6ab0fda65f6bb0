import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { copyText } from '../../parts/copy-text.ts';
import { announce } from '../../shell/announcer.tsx';

/** Copies a text. Without a visible word, `label` is read by screen readers. */
export function CopyButton({ text, label, word }: { text: string; label: string; word?: string }) {
  const [copied, setCopied] = useState<string>();
  const isCopied = copied === text;
  const Icon = isCopied ? Check : Copy;
  const copy = async (): Promise<void> => {
    if (!(await copyText(text))) return;
    setCopied(text);
    announce('Copied.');
  };
  return (
    <Button
      small
      {...(word === undefined && { look: 'plain' as const, 'aria-label': label })}
      title={label}
      onClick={() => void copy()}
    >
      <Icon className="i s" aria-hidden="true" />
      {word !== undefined && (isCopied ? 'Copied' : word)}
    </Button>
  );
}
