import Markdown, { type MarkdownToJSX } from 'markdown-to-jsx/react';
import type { ReactNode } from 'react';
import styles from './markdown.module.css';
import { OutsideLink } from './outside-link.tsx';

/** An image would be a request to another site, so it is a link. */
const Image = ({ src, alt }: { src?: string; alt?: string }) => <OutsideLink href={src}>{alt || 'Image'}</OutsideLink>;
const Anchor = ({ href, children }: { href?: string; children?: ReactNode }) => (
  <OutsideLink href={href}>{children}</OutsideLink>
);
const Code = ({ children }: { children?: ReactNode }) => (
  <pre role="group" tabIndex={0} aria-label="Code">
    {children}
  </pre>
);

/** The text may be of strangers: HTML in it is shown as text. */
const options: MarkdownToJSX.Options = {
  disableParsingRawHTML: true,
  forceBlock: true,
  overrides: { img: Image, a: Anchor, pre: Code },
};

export default function MarkdownText({ text }: { text: string }) {
  return (
    <div className={styles['markdown']}>
      <Markdown options={options}>{text}</Markdown>
    </div>
  );
}
