import type { ComponentProps } from 'react';

/** A link to another site, whose address may be of strangers: one that is not of the web is only text. */
export const OutsideLink = ({ href, ...props }: ComponentProps<'a'>) =>
  href !== undefined && isWebAddress(href) ? (
    <a href={href} rel="noreferrer" {...props} />
  ) : (
    <span {...toText(props)} />
  );

const toText = ({ children, className }: ComponentProps<'a'>): ComponentProps<'span'> => ({ children, className });

/** The path of a page, a fragment and the address of a site can be opened; a script or data cannot. */
export function isWebAddress(href: string): boolean {
  const { protocol } = URL.parse(href, location.origin) ?? {};
  return protocol === 'https:' || protocol === 'http:' || protocol === 'mailto:';
}
