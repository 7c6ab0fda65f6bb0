{{- /*
The sandboxes of agents and browsers need a pod that only the Pod Security Standard "privileged" admits. In another namespace
the API server would reject each pod, and the installation would wait for them without a word.
*/ -}}
{{- define "service.assertAdmitted" -}}
{{- $namespace := lookup "v1" "Namespace" "" .root.Release.Namespace | default dict }}
{{- $level := dig "metadata" "labels" "pod-security.kubernetes.io/enforce" "privileged" $namespace }}
{{- $security := .its.securityContext | default dict }}
{{- $needs := or (eq (dig "procMount" "" $security) "Unmasked") (eq (dig "seccompProfile" "type" "" $security) "Unconfined") }}
{{- if and $needs (ne $level "privileged") }}
{{- fail (printf "The namespace %s enforces the Pod Security Standard %q, which admits no pods of workers.%s: their sandbox creates user namespaces and mounts /proc. Install the service into a namespace with the label pod-security.kubernetes.io/enforce=privileged, or set workers.%s.enabled=false and run that worker in another cluster." .root.Release.Namespace $level .component .component) }}
{{- end }}
{{- end }}

{{- /* The keys of `secrets` that a process reads. Agents and browsers run what others wrote, so they hold no more. */ -}}
{{- define "service.secretKeys" -}}
{{- $unread := dict
  "api" (list "REGISTRY_PUSH_CREDENTIALS" "REGISTRY_PULL_CREDENTIALS")
  "worker" (list "BACKUPS_S3_ACCESS_KEY_ID" "BACKUPS_S3_SECRET_ACCESS_KEY" "CODEHOST_MANIFEST_TOKEN")
  "agents" (list "BACKUPS_S3_ACCESS_KEY_ID" "BACKUPS_S3_SECRET_ACCESS_KEY" "CODEHOST_MANIFEST_TOKEN" "PROMETHEUS_TOKEN" "REGISTRY_PUSH_CREDENTIALS" "REGISTRY_PULL_CREDENTIALS")
  "browser" (list "BACKUPS_S3_ACCESS_KEY_ID" "BACKUPS_S3_SECRET_ACCESS_KEY" "CODEHOST_MANIFEST_TOKEN" "MODEL_API_KEY" "PROMETHEUS_TOKEN" "REGISTRY_PUSH_CREDENTIALS" "REGISTRY_PULL_CREDENTIALS")
  "backups" (list "CODEHOST_MANIFEST_TOKEN" "MODEL_API_KEY" "PROMETHEUS_TOKEN" "REGISTRY_PUSH_CREDENTIALS" "REGISTRY_PULL_CREDENTIALS") }}
{{- range .root.Values.secrets.keys }}
{{- if not (has . (index $unread $.account)) }}
- {{ . }}
{{- end }}
{{- end }}
{{- end }}

{{- /* The pod of every process. Takes root, component, account, and the values of the component as "its". */ -}}
{{- define "service.pod" -}}
{{- $root := .root }}
{{- $its := .its }}
{{- $account := printf "%s-%s" (include "service.name" $root) .account }}
{{- $secretKeys := include "service.secretKeys" . | fromYamlArray }}
serviceAccountName: {{ $account }}
automountServiceAccountToken: true
enableServiceLinks: false
{{- with $root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- if hasKey $its "hostUsers" }}
hostUsers: {{ $its.hostUsers }}
{{- end }}
securityContext:
  {{- $pod := dict "runAsNonRoot" true "runAsUser" 65534 "runAsGroup" 65534 "fsGroup" 65534 "seccompProfile" (dict "type" "RuntimeDefault") }}
  {{- toYaml (mergeOverwrite $pod (deepCopy ($its.podSecurityContext | default dict))) | nindent 2 }}
terminationGracePeriodSeconds: 60
containers:
  - name: {{ .component }}
    image: "{{ $root.Values.image.repository }}/{{ .image }}:{{ $root.Values.image.tag | default $root.Chart.AppVersion }}"
    imagePullPolicy: {{ $root.Values.image.pullPolicy }}
    {{- with .args }}
    args:
      {{- toYaml . | nindent 6 }}
    {{- end }}
    securityContext:
      {{- $own := dict "allowPrivilegeEscalation" false "readOnlyRootFilesystem" true "capabilities" (dict "drop" (list "ALL")) }}
      {{- toYaml (mergeOverwrite $own (deepCopy ($its.securityContext | default dict))) | nindent 6 }}
    envFrom:
      - configMapRef:
          name: {{ include "service.name" $root }}
    env:
      - { name: SERVICE_ACCOUNT, value: {{ printf "%s/%s" $root.Release.Namespace $account | quote }} }
      - { name: ORG_CLUSTER_ROLE, value: {{ printf "%s-org" $account | quote }} }
      - { name: ZONE_CLUSTER_ROLE, value: {{ printf "%s-zone" $account | quote }} }
      # Node looks up host names on half of these threads. With the default of 4, two slow names delay all connections.
      - { name: UV_THREADPOOL_SIZE, value: '16' }
      {{- if has .account (list "worker" "agents" "browser") }}
      # They have no credentials of backups, without which no process starts with that bucket.
      - { name: BACKUPS_S3_BUCKET, value: '' }
      {{- end }}
      {{- range $secretKeys }}
      - name: {{ . }}_FILE
        value: /etc/service/secrets/{{ . }}
      {{- end }}
      {{- with .env }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
    ports:
      - { name: http, containerPort: 8080 }
      {{- if .metricsPort }}
      - { name: metrics, containerPort: {{ .metricsPort }} }
      {{- end }}
    startupProbe:
      httpGet: { path: /livez, port: http }
      periodSeconds: 2
      failureThreshold: 60
    livenessProbe:
      httpGet: { path: /livez, port: http }
      periodSeconds: 10
      timeoutSeconds: 5
    readinessProbe:
      httpGet: { path: {{ .ready | quote }}, port: http }
      periodSeconds: 5
      timeoutSeconds: 3
    resources:
      {{- toYaml $its.resources | nindent 6 }}
    volumeMounts:
      - { name: data, mountPath: /data }
      - { name: tmp, mountPath: /tmp }
      {{- if $root.Values.blobs.existingClaim }}
      - { name: blobs, mountPath: /data/blobs }
      {{- end }}
      - { name: secrets, mountPath: /etc/service/secrets, readOnly: true }
      {{- if and $root.Values.temporal.tls.enabled $root.Values.temporal.tls.existingSecret }}
      - { name: temporal, mountPath: /etc/service/temporal, readOnly: true }
      {{- end }}
volumes:
  - name: data
    emptyDir: { sizeLimit: {{ $its.dataSize | default "1Gi" }} }
  - name: tmp
    emptyDir: { sizeLimit: 1Gi }
  {{- with $root.Values.blobs.existingClaim }}
  - name: blobs
    persistentVolumeClaim: { claimName: {{ . }} }
  {{- end }}
  {{- /* Without items, the volume would hold every key; every process reads TEMPORAL_ENCRYPTION_KEYS. */}}
  - name: secrets
    secret:
      secretName: {{ $root.Values.secrets.existingSecret }}
      defaultMode: 0440
      items:
        {{- range $secretKeys }}
        - { key: {{ . }}, path: {{ . }} }
        {{- end }}
  {{- if and $root.Values.temporal.tls.enabled $root.Values.temporal.tls.existingSecret }}
  - name: temporal
    secret:
      secretName: {{ $root.Values.temporal.tls.existingSecret }}
      defaultMode: 0440
  {{- end }}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "service.selector" $root | nindent 8 }}
        app.kubernetes.io/component: {{ .component }}
{{- with $its.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $its.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $its.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- /* A Deployment of such pods with its autoscaler and its disruption budget. */ -}}
{{- define "service.deployment" -}}
{{- $root := .root }}
{{- $its := .its }}
{{- $name := printf "%s-%s" (include "service.name" $root) .component }}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ $name }}
  namespace: {{ $root.Release.Namespace }}
  labels:
    {{- include "service.labels" $root | nindent 4 }}
    app.kubernetes.io/component: {{ .component }}
spec:
  {{- if not $its.autoscaling.enabled }}
  replicas: {{ $its.replicas }}
  {{- end }}
  strategy:
    rollingUpdate: { maxUnavailable: 0, maxSurge: 1 }
  selector:
    matchLabels:
      {{- include "service.selector" $root | nindent 6 }}
      app.kubernetes.io/component: {{ .component }}
  template:
    metadata:
      annotations:
        # Settings are read once at the start, so a change of settings must replace the pods.
        checksum/config: {{ include (print $root.Template.BasePath "/config.yaml") $root | sha256sum }}
        {{- with $its.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      labels:
        {{- include "service.labels" $root | nindent 8 }}
        app.kubernetes.io/component: {{ .component }}
    spec:
      {{- include "service.pod" . | nindent 6 }}
{{- if $its.autoscaling.enabled }}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: {{ $name }}
  namespace: {{ $root.Release.Namespace }}
  labels:
    {{- include "service.labels" $root | nindent 4 }}
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: {{ $name }} }
  minReplicas: {{ $its.autoscaling.minReplicas }}
  maxReplicas: {{ $its.autoscaling.maxReplicas }}
  metrics:
    - type: Resource
      resource:
        name: cpu
        target: { type: Utilization, averageUtilization: {{ $its.autoscaling.cpu }} }
{{- end }}
{{- if $its.podDisruptionBudget.enabled }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ $name }}
  namespace: {{ $root.Release.Namespace }}
  labels:
    {{- include "service.labels" $root | nindent 4 }}
spec:
  maxUnavailable: {{ $its.podDisruptionBudget.maxUnavailable }}
  selector:
    matchLabels:
      {{- include "service.selector" $root | nindent 6 }}
      app.kubernetes.io/component: {{ .component }}
{{- end }}
{{- end }}
