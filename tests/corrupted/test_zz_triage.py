import os, sys, random, time, traceback, collections
import pytest
from tests.corrupted.datasets import make_datasets
from tests.corrupted.imports import *
from tests.corrupted.outcomes import problem
from tests.corrupted.shapes import SHAPES
from tests.corrupted.test_corrupted_files import corrupt
N=int(os.environ.get('N','30')); ONLY=os.environ.get('ONLY',''); CH=os.environ.get('CH',''); S0=int(os.environ.get('S0','0'))
D=[d for d in make_datasets() if not ONLY or d.name in ONLY.split(',')]
@pytest.mark.django_db
@pytest.mark.parametrize("dataset", D, ids=str)
def test_t(dataset, tmp_path):
    project=make_project(dataset,tmp_path)
    with rolled_back():
        truth=import_files(project,dataset,dataset.files,tmp_path).stored
    t0=time.process_time(); total=collections.Counter(); n=0
    for change in SHAPES[dataset.shape]:
        if CH and CH!=change.name: continue
        c=collections.Counter(); ex={}
        for seed in range(S0,S0+N):
            files=corrupt(dataset,change,seed)
            if files is None: c['na']+=1; continue
            n+=1
            try:
                with rolled_back():
                    out=import_files(project,dataset,files,tmp_path)
            except Exception as e:
                tb=traceback.extract_tb(e.__traceback__)[-1]
                k='EXC %s %s:%s'%(type(e).__name__,tb.filename[-40:],tb.lineno); c[k]+=1; ex.setdefault(k,(seed,str(e)[:200])); continue
            p=problem(dataset,change,truth,out)
            if p:
                k='BAD'; c[k]+=1; ex.setdefault(k,[]).append((seed,p[:1000],[str(e) for e in out.errors][:2]))
            elif out.refusal: c['refused']+=1
            elif out.stored.keys()!=truth.keys() and out.is_named: c['named']+=1
            elif out.stored!=truth: c['differs'+('+named' if out.is_named else '')]+=1
            elif out.is_named: c['named, complete']+=1
            else: c['same']+=1
        total+=c
        bad=[k for k in c if k[:3] in('EXC','BAD')]
        if bad:
            print(f"\n## {dataset.name} / {change.name}: {dict(c)}",end='')
            for k in bad:
                for x in (ex[k] if k=='BAD' else [ex[k]])[:int(os.environ.get('EX','1'))]: print('\n     ',k,x,end='')
    print(f"\n== {dataset.name}: n={n} cpu={time.process_time()-t0:.1f} {dict(total)}",end='')
