import { useEffect, useState } from 'react';
import { findOwnBuild } from '../live/build.ts';
import { useServerBuild } from '../live/live.tsx';
import { Button } from '../parts/button.tsx';
import page from '../parts/page.module.css';
// Loaded with the page: the server of the next build does not have it any more.
import { keepTypedText, restoreTypedText } from './typed-text.ts';

/** Offers a reload once the server has another build; fields that are being filled in are filled in again after it. */
export function NewVersion({ email }: { email: string }) {
  const build = useServerBuild();
  const [own] = useState(findOwnBuild);
  useEffect(() => restoreTypedText(email), [email]);
  if (build === undefined || own === undefined || build === own) return null;
  return (
    <div className={page['notice']} role="status">
      <p>
        <b>A new version of the service is available.</b> This page works on until you reload it. What you have typed
        stays.
      </p>
      <span className="push">
        <Button small onClick={() => reload(email)}>
          Reload
        </Button>
      </span>
    </div>
  );
}

function reload(email: string): void {
  keepTypedText(email);
  // A form would ask whether to throw away what is kept.
  addEventListener('beforeunload', (event) => event.stopImmediatePropagation(), { capture: true });
  location.reload();
}
