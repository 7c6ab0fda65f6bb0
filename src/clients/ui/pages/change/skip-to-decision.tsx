import { useEffect, useState } from 'react';
import { createPortal } from 'react-dom';
import shell from '../../shell/shell.module.css';

/** The first link of the page. It leads to what waits for a person, past all navigation. */
export function SkipToDecision() {
  const [place, setPlace] = useState<HTMLElement | null>(null);
  // The frame of the page is drawn together with the page when a person opens its address.
  useEffect(() => setPlace(document.getElementById('skip-links')), []);
  if (!place) return null;
  return createPortal(
    <a className={shell['skip']} href="#decision">
      Skip to the decision
    </a>,
    place,
  );
}
