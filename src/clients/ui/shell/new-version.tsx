import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { findOwnBuild } from '../live/find-own-build.ts';
import { useLiveStatus, useServerBuild } from '../live/live.tsx';
import { Button } from '../parts/button.tsx';
import { missingPart } from '../parts/lazy-file.ts';
import page from '../parts/page.module.css';
import styles from './new-version.module.css';
// It is loaded with the page, because the server of the next build does not have it.
import { reload, restoreTypedText } from './typed-text.ts';

/**
 * Offers a reload once the server has another build, or a part of a page cannot be loaded; fields that are being filled
 * in
 * are filled in again after it.
 */
export function NewVersion() {
  const queryClient = useQueryClient();
  const build = useServerBuild();
  const { state } = useLiveStatus();
  const isMissing = useSyncExternalStore(missingPart.subscribe, missingPart.isMissing);
  const [own] = useState(findOwnBuild);
  useEffect(() => restoreTypedText(queryClient), [queryClient]);
  const isOld = build !== undefined && own !== undefined && build !== own;
  // A server that is unavailable has no page to reload.
  if ((!isOld && !isMissing) || state === 'reconnecting') return null;
  return (
    <div className={`${page['notice']} ${isMissing ? styles['missing'] : ''}`} role="status">
      <p>
        <b>{isOld ? 'A new version of the service is available.' : 'A part of this page could not be loaded.'}</b>{' '}
        {isMissing ? 'Reload to open what you asked for.' : 'This page keeps working until you reload it.'} What you
        have typed stays.
      </p>
      <span className="push">
        <Button small onClick={() => reload(queryClient)}>
          Reload
        </Button>
      </span>
    </div>
  );
}
