import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { announce } from '../shell/announcer.tsx';
import { Button } from './button.tsx';
import { copyText } from './copy-text.ts';

/** Copies a text, and says so until the text is another one. */
export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [copied, setCopied] = useState<string>();
  const isCopied = copied === text;
  const Icon = isCopied ? Check : Copy;
  const copy = async (): Promise<void> => {
    if (!(await copyText(text))) return;
    setCopied(text);
    announce('Copied.');
  };
  return (
    <Button small onClick={() => void copy()}>
      <Icon className="i s" aria-hidden="true" />
      {isCopied ? 'Copied' : label}
    </Button>
  );
}
