{{- define "platform.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains (include "platform.name" .) .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "platform.name" .) | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "platform.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{/* Labels that select pods: of the context and the name of a part. */}}
{{- define "platform.selector" -}}
app.kubernetes.io/name: {{ include "platform.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .part }}
{{- end -}}

{{- define "platform.labels" -}}
{{ include "platform.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end -}}

{{- define "platform.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}

{{- define "platform.secret" -}}
{{ .Values.secrets.existingSecret | default (printf "%s-secrets" (include "platform.fullname" .)) }}
{{- end -}}

{{/* A value as text. Helm reads all numbers as floats, which would print 104857600 as 1.048576e+08. */}}
{{- define "platform.text" -}}
{{- if and (kindIs "float64" .) (eq . (floor .)) }}{{ printf "%.0f" . }}{{ else }}{{ . | toString }}{{ end -}}
{{- end -}}

{{/* Settings that are no secrets, as variables of the environment. */}}
{{- define "platform.settings" -}}
{{- range $name, $value := .Values.settings }}
{{ $name }}: {{ include "platform.text" $value | quote }}
{{- end }}
{{- end -}}

{{/* Restarts pods when settings or secrets of the chart change. */}}
{{- define "platform.checksums" -}}
checksum/settings: {{ include "platform.settings" . | sha256sum }}
checksum/secrets: {{ .Values.secrets.values | toJson | sha256sum }}
{{- end -}}

{{- define "platform.envFrom" -}}
- configMapRef: { name: {{ include "platform.fullname" . }}-settings }
- secretRef: { name: {{ include "platform.secret" . }} }
{{- end -}}

{{- define "platform.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
fsGroupChangePolicy: OnRootMismatch
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "platform.security" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{/* What all pods have. Without `enableServiceLinks: false`, Kubernetes adds variables of the services of the namespace;
     those of a service `platform-…` look like settings that do not exist, and the processes would not start. */}}
{{- define "platform.pod" -}}
enableServiceLinks: false
securityContext: {{- include "platform.podSecurity" . | nindent 2 }}
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* The claim of all pods, or an own folder: of `root` and `size`. */}}
{{- define "platform.dataVolume" -}}
- name: data
  {{- if .root.Values.data.existingClaim }}
  persistentVolumeClaim: { claimName: {{ .root.Values.data.existingClaim }} }
  {{- else }}
  emptyDir: { sizeLimit: {{ .size }} }
  {{- end }}
{{- end -}}

{{/* A PodTemplateSpec for transfers: that of the chart, with what `kubernetes.template` says instead or beside it. */}}
{{- define "platform.transferTemplate" -}}
{{- $own := fromYaml (include "platform.ownTransferTemplate" .) -}}
{{- toYaml (mergeOverwrite $own (deepCopy .Values.kubernetes.template)) -}}
{{- end -}}

{{- define "platform.ownTransferTemplate" -}}
spec:
  {{- include "platform.pod" . | nindent 2 }}
  automountServiceAccountToken: false
  containers:
    - name: work
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      envFrom: {{- include "platform.envFrom" . | nindent 8 }}
      {{- with .Values.env }}
      env: {{- toYaml . | nindent 8 }}
      {{- end }}
      securityContext: {{- include "platform.security" . | nindent 8 }}
      volumeMounts:
        - { name: data, mountPath: /data }
        - { name: tmp, mountPath: /tmp }
  volumes:
    {{- include "platform.dataVolume" (dict "root" . "size" "1Gi") | nindent 4 }}
    - { name: tmp, emptyDir: { sizeLimit: 1Gi } }
{{- end -}}

{{/* Egress of a NetworkPolicy, if it is limited. */}}
{{- define "platform.egress" -}}
{{- with .Values.networkPolicy.egress }}
  egress:
    - ports:
        - { protocol: UDP, port: 53 }
        - { protocol: TCP, port: 53 }
    {{- toYaml . | nindent 4 }}
{{- end }}
{{- end }}
