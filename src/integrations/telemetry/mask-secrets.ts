import { lintSource } from '@secretlint/core';
import { creator as knownSecrets } from '@secretlint/secretlint-rule-preset-recommend';
import { findTokens } from '../../rules/access/token.ts';

const options = { config: { rules: [{ id: knownSecrets.meta.id, rule: knownSecrets, options: {} }] } };

/**
 * Replaces each character of a secret of a well-known form (keys of clouds and model providers, tokens of code hosts and
 * of this service, private keys, URLs with a password) by "*". Lines stay as they are, so that a secret of several lines
 * is found too.
 */
export async function maskSecrets(text: string): Promise<string> {
  const source = { content: text, filePath: 'log', ext: '', contentType: 'text' } as const;
  const { messages } = await lintSource({ source, options });
  let masked = text;
  for (const [start, end] of [...messages.map(({ range }) => range), ...findTokens(text)])
    masked = masked.slice(0, start) + masked.slice(start, end).replaceAll(/[^\n]/g, '*') + masked.slice(end);
  return masked;
}
