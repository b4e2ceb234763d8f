import os, sys, random, time, traceback, collections
sys.path.insert(0,'/work/wt3')
import pytest
from tests.corrupted.datasets import make_datasets
from tests.corrupted.imports import *
from tests.corrupted.shapes import SHAPES
N=int(os.environ.get('N','30')); ONLY=os.environ.get('ONLY',''); CH=os.environ.get('CH','')
def canon(v):
    if isinstance(v,dict) and "fillers" in v: v={k:x for k,x in v.items() if k!="fillers"}
    if isinstance(v,dict) and "filler" in v: v={k:x for k,x in v.items() if k!="filler"}
    if isinstance(v,dict):
        return {k:(sorted(map(canon,x),key=repr) if k in('questions','arguments','phrases') and isinstance(x,list) else canon(x)) for k,x in v.items()}
    return v
D=[d for d in make_datasets() if not ONLY or d.name in ONLY.split(',')]
@pytest.mark.django_db
@pytest.mark.parametrize("dataset", D, ids=str)
def test_t(dataset, tmp_path):
    project=make_project(dataset,tmp_path)
    with rolled_back():
        truth=import_files(project,dataset,dataset.files,tmp_path).stored
    for change in SHAPES[dataset.shape]:
        if CH and CH!=change.name: continue
        c=collections.Counter(); ex={}
        for seed in range(N):
            rng=random.Random(seed)
            files=dict(dataset.files)
            name=rng.choice(sorted(files))
            new=change.apply(files[name],rng)
            if new is None: c['na']+=1; continue
            same = new==files[name]
            files[name]=new
            try:
                with rolled_back():
                    out=import_files(project,dataset,files,tmp_path)
            except Exception as e:
                tb=traceback.extract_tb(e.__traceback__)[-1]
                k='EXC %s %s:%s'%(type(e).__name__,tb.filename[-40:],tb.lineno); c[k]+=1; ex.setdefault(k,(seed,name,str(e)[:200])); continue
            other=[k for k,v in out.stored.items() if canon(truth.get(k))!=canon(v)]
            missing=[k for k in truth if k not in out.stored]
            if other:
                k='OTHER' + ('+named' if out.is_named else '+warned' if out.warnings else ''); c[k]+=1
                ex.setdefault(k,(seed,name,other[0],str(truth.get(other[0]))[:300],'->',str(out.stored[other[0]])[:300], [str(e) for e in out.errors+out.warnings][:2]))
            elif missing and not out.is_named:
                c['LOST']+=1; ex.setdefault('LOST',(seed,name,missing))
            elif out.refusal: c['refused']+=1
            elif missing: c['named']+=1
            elif out.is_named: c['named, complete']+=1
            else: c['same']+=1
        bad=[k for k in c if k[:3] in('EXC','OTH','LOS')]
        print(f"\n{'##' if bad else '  '} {dataset.name} / {change.name} exact={change.is_exact}: {dict(c)}",end='')
        if os.environ.get('EX') or CH:
            for k in bad: print('\n     ',k,ex[k],end='')
